"""Fields are checked by the rules that stand beside them."""

from typing import Any

import pytest

from postroom.errors import Code
from postroom.rpc.rules import checker
from tests.room import refused
from tests.rpc.scripted import contract, letter

CONTRACT = contract()
CHECK = checker(CONTRACT, CONTRACT.specs[0].fields)
FINE: dict[str, Any] = {"title": "x", "first": {}, "tags": ["x"], "count": 2}


def _named(**fields: Any) -> list[str]:
    request = letter(CONTRACT, **(FINE | fields))
    refusal = refused(lambda: CHECK(request))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "INVALID_FIELD")
    assert all(violation.description for violation in refusal.violations)
    assert all(violation.field in refusal.message for violation in refusal.violations)
    return [violation.field for violation in refusal.violations]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"title": "x" * 5},
        {"title": "\N{GRINNING FACE}" * 5},
        {"tags": ["", "abc"]},
        {"pages": [{}, {"text": "four", "number": 0}]},
        {"color": 1, "colors": [0, 1, 1]},
        {"count": 2**31 - 1},
        {"labels": {"a": "b", "": ""}},
        {"mood": "", "moods": [], "note": "", "raw": b""},
        {"mood": "calm", "moods": ["cross", "calm"], "tone": "cross"},
        {"note": "abcd", "raw": b"abc"},
        {"note": "\N{GRINNING FACE}"},
        {"first": {"next": {"next": {"next": {"text": "deep"}}}}},
    ],
    ids=repr,
)
def test_a_request_within_its_rules_passes(fields: dict[str, Any]) -> None:
    CHECK(letter(CONTRACT, **(FINE | fields)))


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"title": ""}, ["title"]),
        ({"first": None}, ["first"]),
        ({"tags": []}, ["tags"]),
        ({"title": "x" * 6}, ["title"]),
        ({"title": "\N{GRINNING FACE}" * 6}, ["title"]),
        ({"title": "a\0"}, ["title"]),
        ({"title": "abcde\0"}, ["title", "title"]),
        ({"tags": ["abc", "abcd", "\0"]}, ["tags[1]", "tags[2]"]),
        ({"pages": [{}, {}, {}]}, ["pages"]),
        ({"pages": [{}, {"text": "fives", "number": -1}]}, ["pages[1].text", "pages[1].number"]),
        ({"first": {"number": -1}}, ["first.number"]),
        ({"first": {"next": {"next": {"text": "fives"}}}}, ["first.next.next.text"]),
        ({"color": 2}, ["color"]),
        ({"color": -1}, ["color"]),
        ({"colors": [0, 7, 1, 8]}, ["colors[1]", "colors[3]"]),
        ({"count": 1}, ["count"]),
        ({"count": 0}, ["count"]),
        ({"key": "\0"}, ["key"]),
        ({"labels": {"a": "\0"}}, ["labels[a].value"]),
        ({"mood": "Calm"}, ["mood"]),
        ({"moods": ["calm", "", "happy"]}, ["moods[1]", "moods[2]"]),
        ({"tone": ""}, ["tone"]),
        ({"note": "abcde"}, ["note"]),
        ({"note": "\N{GRINNING FACE}a"}, ["note"]),
        ({"raw": b"abcd"}, ["raw"]),
    ],
    ids=repr,
)
def test_each_field_that_breaks_a_rule_is_named_by_its_path(
    fields: dict[str, Any], named: list[str]
) -> None:
    assert _named(**fields) == named


def test_all_broken_rules_are_told_together() -> None:
    assert _named(title="", tags=["abcd"], color=9, count=-1) == [
        "title",
        "tags[0]",
        "color",
        "count",
    ]


def test_a_nested_message_that_is_not_given_is_not_checked() -> None:
    bare = letter(CONTRACT, title="x", tags=["x"], count=2, first={})
    bare.first.ClearField("next")  # type: ignore[attr-defined]
    CHECK(bare)


def test_an_unknown_number_is_told_with_the_names_there_are() -> None:
    request = letter(CONTRACT, **(FINE | {"color": 9}))
    message = refused(lambda: CHECK(request)).message
    for part in ("9", "COLOR_UNSPECIFIED", "COLOR_RED"):
        assert part in message


def test_a_text_that_is_too_long_is_told_with_both_figures() -> None:
    request = letter(CONTRACT, **(FINE | {"title": "x" * 1_234}))
    message = refused(lambda: CHECK(request)).message
    assert "1,234" in message
    assert "5" in message


def test_a_word_that_is_none_is_told_with_those_there_are() -> None:
    request = letter(CONTRACT, **(FINE | {"mood": "happy"}))
    message = refused(lambda: CHECK(request)).message
    assert message == "mood: cannot be 'happy'; give one of calm, cross"


def test_c47_text_that_is_no_unicode_never_becomes_a_request() -> None:
    cls = CONTRACT.specs[0].request_class
    for bad in (b"\x0a\x02\xff\xfe", b"\x0a\x03\xed\xa0\x80", b"\x0a\x02\xc0\x80", b"\xff\xfe"):
        with pytest.raises(Exception, match=r"."):
            cls.FromString(bad)
    with pytest.raises(UnicodeEncodeError):
        cls(title="\ud800")
