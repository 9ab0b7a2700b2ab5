"""From bytes to plain values, refusing what is not strictly JSON in UTF-8.

Numbers stay text, because turning them into Python numbers loses digits. Keys that
an object holds twice are kept in mind, because only the field they meet can say
whether that is wrong.
"""

import json
import re
from collections import Counter
from typing import Any, Final, Never

from postroom.rpc.protojson.refusal import JsonInvalid

MAX_DEPTH: Final = 100
BLANK: Final = object()
# Brackets, commas and colons, those within texts too. No request of ours has half as many but
# for a long text; JSON of nothing else would take the parser seconds.
MAX_MARKS: Final = 300_000
TOO_MUCH: Final = (
    f"the JSON has more than {MAX_MARKS:,} brackets, commas and colons; send fewer values at once"
)

_CUT_NUMBER = re.compile(r"(?:(?P<start>\.)|[eE][+-]?)(?P<more>.?)", re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_MAYBE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>u[dD][89a-fA-F])|.)",
    re.DOTALL,
)
# What the parser leaves unread when a literal, number or escape is cut short.
_STUMP = re.compile(
    r"-|\.|[eE][+-]?|t(r(ue?)?)?|f(a(l(se?)?)?)?|n(u(ll?)?)?|N(aN?)?|-?I\w*|\\?u?[0-9a-fA-F]{0,4}"
)


class Number(str):
    """A number, as it was written."""

    __slots__ = ()


class Doubled(dict[str, Any]):
    """An object that gives some keys more than once."""

    twice: frozenset[str]


def parse(body: bytes | str, *, whole: bool = False) -> Any:
    """Read the first JSON value; BLANK if there is none.

    What follows it is ignored, unless `whole` is set. Raises JsonInvalid for bad
    UTF-8, bad JSON, lone surrogates, NaN, more than 100 levels, and too many values.
    """
    text = body if isinstance(body, str) else _decoded(body)
    if len(text) > MAX_MARKS and has_too_much(text.encode("utf-8", "surrogatepass")):
        raise JsonInvalid("", TOO_MUCH)
    start = _end_of_space(text, 0)
    if start == len(text):
        return BLANK
    value, end = _parsed(text, start)
    if isinstance(value, Number):
        _refuse_cut_number(value, text, end)
    if whole and _end_of_space(text, end) != len(text):
        raise JsonInvalid("", "there is text after the JSON value; send one value alone")
    if "\\u" in text and _MAYBE_SURROGATE.search(text, start, end):
        _refuse_lone_surrogates(text, start, end)
    if isinstance(value, (dict, list)) and text.count("[") + text.count("{") > MAX_DEPTH:
        _refuse_depth(value)
    return value


def has_too_much(body: bytes | bytearray) -> bool:
    """Whether JSON has so many brackets, commas and colons that it is not to be parsed."""
    if len(body) <= MAX_MARKS:
        return False
    return sum(map(body.count, (b",", b":", b"[", b"{"))) > MAX_MARKS


def _refuse_cut_number(number: str, text: str, end: int) -> None:
    """The parser takes 1e for a 1 with something behind it."""
    cut = _CUT_NUMBER.match(text, end)
    if cut and not set((cut["start"] or "") + "eE") & set(number):
        told = "a number is not whole" if cut["more"].strip() else "unexpected EOF"
        raise JsonInvalid("", told)


def _decoded(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise JsonInvalid(
            "", f"the body is not UTF-8 (byte {error.start}); send JSON in UTF-8"
        ) from None


def _end_of_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start


def _parsed(text: str, start: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        if _is_cut_short(text, error):
            raise JsonInvalid("", "unexpected EOF") from None
        raise JsonInvalid(
            "",
            f"the body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}",
        ) from None
    except RecursionError:
        raise _too_deep() from None


def _is_cut_short(text: str, error: json.JSONDecodeError) -> bool:
    if error.msg.startswith("Unterminated"):
        return True
    return _STUMP.fullmatch(text[error.pos :].strip(" \t\r\n")) is not None


def _refuse_lone_surrogates(text: str, start: int, end: int) -> None:
    if any(escape["lone"] for escape in _ESCAPE.finditer(text, start, end)):
        raise JsonInvalid(
            "", "a \\u escape is half of a surrogate pair; send both halves or the character"
        )


def _refuse_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            held
            for one in level
            for held in (one if isinstance(one, list) else one.values())
            if isinstance(held, (dict, list))
        ]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> JsonInvalid:
    return JsonInvalid("", f"the JSON nests deeper than {MAX_DEPTH} levels; flatten it")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    doubled = Doubled(found)
    doubled.twice = frozenset(
        key for key, times in Counter(k for k, _ in pairs).items() if times > 1
    )
    return doubled


def _refuse_constant(word: str) -> Never:
    raise JsonInvalid("", f'the body is not JSON: {word} must be in quotes: "{word}"')


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=Number,
    parse_float=Number,
    parse_constant=_refuse_constant,
)
