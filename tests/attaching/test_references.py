import re

import pytest

from postroom.attaching.markdown import TooTangled
from postroom.attaching.references import References

NEW = "attachments/new.webp"


def found(text: str) -> list[str]:
    return [one.destination for one in References(text).found]


def rewritten(text: str) -> str:
    references = References(text)
    return references.rewritten({one.destination: NEW for one in references.found})[0]


@pytest.mark.parametrize(
    ("written", "destination", "after"),
    [
        ("![a](a.png)", "a.png", "![a](NEW)"),
        ("![](a.png)", "a.png", "![](NEW)"),
        ('![a]( a.png  "title" )', "a.png", '![a]( NEW  "title" )'),
        ("![a](<my pic.png>)", "my pic.png", "![a](<NEW>)"),
        ("![a](a\\_b.png)", "a_b.png", "![a](NEW)"),
        ("![a](a&amp;b.png)", "a&b.png", "![a](NEW)"),
        ("![a](a(1).png)", "a(1).png", "![a](NEW)"),
        ("![a](a\\(.png)", "a(.png", "![a](NEW)"),
        ("![a](a%20b.png)", "a%20b.png", "![a](NEW)"),
        ("![a](ä.png) ä", "ä.png", "![a](NEW) ä"),
        ("![a.png](a.png 'a.png')", "a.png", "![a.png](NEW 'a.png')"),
        ("![a](\n  a.png\n  'two\nlines')", "a.png", "![a](\n  NEW\n  'two\nlines')"),
        ("a.png ![a](a.png) a.png", "a.png", "a.png ![a](NEW) a.png"),
        ("![a](a.png)![b](a.png)", "a.png", "![a](NEW)![b](NEW)"),
        ("[![a](a.png)](http://x)", "a.png", "[![a](NEW)](http://x)"),
        ("![a ![b](b.png)](a.png)", "a.png", "![a ![b](b.png)](NEW)"),
        ("**![a](a.png)** _x_", "a.png", "**![a](NEW)** _x_"),
        ("# a ![a](a.png) #", "a.png", "# a ![a](NEW) #"),
        ("a ![a](a.png)\n===", "a.png", "a ![a](NEW)\n==="),
        ("> - ![a](a.png)\n> lazy", "a.png", "> - ![a](NEW)\n> lazy"),
        ("1. x\n\n\t![a](a.png)", "a.png", "1. x\n\n\t![a](NEW)"),
        ("|a|b|\n|-|-|\n|![a](a.png)|![a](a.png)|", "a.png", "|a|b|\n|-|-|\n|![a](NEW)|![a](NEW)|"),
        ("|a|\n|-|\n|`\\|` ![a](a\\|b.png)|", "a|b.png", "|a|\n|-|\n|`\\|` ![a](NEW)|"),
        ("|![a](a.png)|\n|-|", "a.png", "|![a](NEW)|\n|-|"),
        ("![a][r]\n\n[r]: a.png 'a.png'", "a.png", "![a][r]\n\n[r]: NEW 'a.png'"),
        ("![R] ![x][r]\n\n[r]:\n<a b.png>", "a b.png", "![R] ![x][r]\n\n[r]:\n<NEW>"),
        ("> [r\\]]: a.png\n\n![r\\]][]", "a.png", "> [r\\]]: NEW\n\n![r\\]][]"),
        ("[r]: a.png\n[r]: a.png\n\n![r]", "a.png", "[r]: NEW\n[r]: a.png\n\n![r]"),
        ("a\r\n> ![a](a.png)\r\nb", "a.png", "a\r\n> ![a](NEW)\r\nb"),
        ("a\r> ![a](a.png)\r\n\n\rb", "a.png", "a\r> ![a](NEW)\r\n\n\rb"),
        ("\0 ![a\0](a.png)", "a.png", "\0 ![a\0](NEW)"),
        ("\u2028\x0b ![a](a.png)\u00a0\f", "a.png", "\u2028\x0b ![a](NEW)\u00a0\f"),
    ],
)
def test_a_destination_is_found_and_replaced_where_it_stands(
    written: str, destination: str, after: str
) -> None:
    assert found(written) == [destination]
    assert rewritten(written) == after.replace("NEW", NEW)


@pytest.mark.parametrize(
    "text",
    [
        "`![a](a.png)`",
        "``a ` ![a](a.png)``",
        "```\n![a](a.png)\n```",
        "~~~ ![a](a.png)",
        "    ![a](a.png)",
        "- x\n\n      ![a](a.png)",
        "<div>\n![a](a.png)\n</div>",
        "<!-- ![a](a.png) -->",
        '<img src="a.png">',
        "\\![a](a.png)",
        "[a](a.png)",
        "![a](a b.png)",
        "![a][none]",
        "![a]()",
        "![a](<>)",
    ],
)
def test_what_is_no_image_is_left_alone(text: str) -> None:
    assert found(text) == []
    assert rewritten(text) == text


def test_code_beside_an_image_is_not_touched() -> None:
    text = "`a.png` ![a](a.png)\n\n    ![a](a.png)\n\n```\n![a](a.png)\n```"
    assert rewritten(text) == text.replace("(a.png)", f"({NEW})", 1)


def test_a_definition_that_a_link_uses_as_well_is_left_and_the_others_are_replaced() -> None:
    text = "[r] ![r] ![b](b.png)\n\n[r]: a.png"
    after, done = References(text).rewritten({"a.png": NEW, "b.png": NEW})
    assert after == text.replace("b.png", NEW)
    assert done == {"b.png"}


def test_many_places_are_replaced_at_once() -> None:
    text = "![a](a.png) and `![a](a.png)`\n\n" * 300
    after = rewritten(text)
    assert after.count(NEW) == 300
    assert re.sub(re.escape(NEW), "a.png", after) == text


@pytest.mark.parametrize("piece", ["![", "[![", "![](a)", "![[]", "![a](\n\n", "`a`` ![", "*![_"])
def test_a_text_that_takes_too_long_is_given_up(piece: str) -> None:
    with pytest.raises(TooTangled):
        References(piece * (256 * 1024 // len(piece)))


def test_a_text_that_could_be_searched_can_be_rewritten() -> None:
    text = "[1] [2] ![a](a.png)\n\n" * 1500 + "[1]: x\n[2]: y\n"
    assert rewritten(text).count(NEW) == 1500


def test_a_long_ordinary_text_is_not_given_up() -> None:
    paragraph = "Some words, *some* `code` and a [link](http://example.com).\n" * 4
    text = (paragraph + "\n![a](a.png)\n\n") * 100
    assert rewritten(text).count(NEW) == 100
