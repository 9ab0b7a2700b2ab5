"""The rewriting of images against the whole parser, which knows nothing of places."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from postroom.attaching.references import References

MARKER = "attachments/MARKER.webp"
DESTINATIONS = ("a.png", "<a b.png>", "a\\_b.png", "a&amp;b.png", "a(1).png", "a\\|b.png", "<>", "")
IMAGES = st.builds(
    "![{}]({}{}{})".format,
    st.sampled_from(("", "a", "a.png", "`x`", "[b]", "![n](n.png)", "\\]")),
    st.sampled_from(("", " ", "\n")),
    st.sampled_from(DESTINATIONS),
    st.sampled_from(("", ' "a.png"', " 'a\nb'", " ")),
)
OTHERS = st.sampled_from(
    (
        "word",
        "`![c](c.png)`",
        "![r]",
        "![x][r]",
        "[r]",
        "[![l](l.png)](x)",
        "|",
        "\\|",
        "*",
        "_",
        "a.png",
        "<b>",
        "<!--",
        "`",
        "![",
        "](",
        "&amp;",
        "\\",
        "~~",
        "\0",
        "\u00a0",
        "\t",
    )
)
BETWEEN = st.sampled_from(
    (
        "",
        " ",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "\n> ",
        "\n- ",
        "\n  ",
        "\n    ",
        "\n# ",
        "\n```\n",
        "\n===\n",
        "\n|a|b|\n|-|-|\n|",
        "|",
        "|\n|",
        "\n[r]: r.png\n",
        "\n> [r]: <r r.png> 'x'\n",
        "\n1. ",
        "\n\t",
        " #\n",
    )
)
TEXTS = st.lists(st.one_of(IMAGES, OTHERS, BETWEEN), max_size=25).map("".join)
SOUP = st.text(st.sampled_from("![]()<>\\`|\n\r -#>a.\"'&;:\t"), max_size=60)
ALL = st.one_of(TEXTS, TEXTS, SOUP.map(lambda text: f"![a](b) {text}"))


class Whole(MarkdownIt):
    """All of CommonMark, tables and struck words; URLs as they are written."""

    def __init__(self) -> None:
        super().__init__("commonmark")
        self.enable(["table", "strikethrough"])

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the parser's name
        return url

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - the parser's name
        return True


def tokens(text: str) -> Sequence[Token]:
    return Whole().parse(text)


def images(text: str) -> list[str]:
    found = [token for block in tokens(text) for token in block.children or ()]
    return [str(token.attrs["src"]) for token in found if token.type == "image"]


def code(text: str) -> list[str]:
    return [token.content for token in flat(tokens(text)) if "code" in token.type + token.tag]


def flat(listed: Sequence[Token]) -> Iterator[Token]:
    for token in listed:
        yield token
        yield from flat(token.children or ())


def shape(listed: Sequence[Token], changed: frozenset[str], depth: int = 0) -> list[Any]:
    found = []
    for token in listed:
        attributes = dict(token.attrs)
        if token.type == "image" and depth == 1 and attributes["src"] in changed:
            attributes["src"] = MARKER
        content = "" if token.type == "inline" else token.content
        found.append((token.type, token.markup, token.info, attributes, content))
        found += shape(token.children or (), changed, depth + 1)
    return found


@settings(deadline=None)
@given(ALL)
def test_the_images_are_those_of_the_whole_parser(text: str) -> None:
    found = [one.destination for one in References(text).found]
    assert found == list(dict.fromkeys(filter(None, images(text))))


@settings(deadline=None)
@given(ALL)
def test_only_destinations_change(text: str) -> None:
    references = References(text)
    wanted = {one.destination: MARKER for one in references.found}
    after, done = references.rewritten(wanted)
    pattern = "(.*?)".join(map(re.escape, after.split(MARKER)))
    match = re.fullmatch(pattern, text, re.DOTALL)
    assert match
    gone = {unescapeAll(old.replace("\\|", "|").replace("\0", "\ufffd")) for old in match.groups()}
    assert gone == {one.replace("\\|", "|") for one in done}
    assert code(after) == code(text)


@settings(deadline=None)
@example("![r]\n> [r]: a.png\nword [r]")
@given(ALL)
def test_the_whole_parser_sees_nothing_but_the_change(text: str) -> None:
    references = References(text)
    after, done = references.rewritten({one.destination: MARKER for one in references.found})
    assert shape(tokens(after), frozenset()) == shape(tokens(text), done)


@settings(deadline=None)
@example("\xa0\n![](a.png)")
@example("> \xa0\n> \u2003\n> ![](a.png)")
@given(TEXTS)
def test_nearly_every_image_can_be_replaced(text: str) -> None:
    references = References(text)
    for one in references.found:
        # Only a definition that a link uses as well cannot.
        after, done = references.rewritten({one.destination: MARKER})
        if not done:
            assert one.destination in ("r.png", "r r.png")
            assert after == text
