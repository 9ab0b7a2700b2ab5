"""Where two answers to the same request differ."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf import text_format

from tests.interop.gateway.exchange import Answer
from tests.surfaces.gateway.doors import Asked

_HEADERS = ("allow", "content-type", "location", "trailer", "www-authenticate")
# By-products of grpc-go, and what only one side's transport has.
_NOT_COMPARED = ("grpc-metadata-content-type", "grpc-metadata-grpc-accept-encoding")
_TRANSPORT = ("user-agent", "grpc-accept-encoding", "accept-encoding", "grpc-timeout")
# Texts that the gateway writes itself: they must be the same. Those that its JSON and number
# parsers write may be in our own words; only what stands before the first capture must agree.
_OWN_TEXTS = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"unexpected EOF",
        r"Not Found",
        r"Method Not Allowed",
        r"Bad Request",
        r"invalid semicolon separator in query",
        r"invalid URL escape .*",
        r'invalid path: ".*" is not a message',
        r"too many values for field .*",
        r'parsing field ".*": unsupported message type: .*',
        r'parsing field ".*": ".*" is not a valid value',
        r"field already set for oneof .*",
        r"more than one value provided for key .*",
        r"invalid grpc-timeout: .*",
        r'could not find field ".*" in .*',
    )
)
_OWN_STARTS = re.compile(
    r"(type mismatch, parameter: [^,]+, error: |invalid binary header [^:]+: "
    r'|parsing field "[^"]*": |parsing map (?:key|value) "[^"]*": )'
)
# Invalid argument, deadline exceeded, not found, unimplemented.
_OWN_CODES = ("3", "4", "5", "12")
_SLACK_SECONDS = 5.0
_BY_GRPC = re.compile(rb'"surface": ?"grpc"')


@dataclass
class Seen:
    """An answer, and the calls that reached the backend."""

    answer: Answer
    asked: list[Asked]


class Number(str):
    """A JSON number as it was written."""

    __slots__ = ()


def document(body: bytes) -> Any:
    """Parsed JSON, keys in order and numbers as they are written; bytes when it is no JSON."""
    # Calls through the gateway reach us by gRPC, and the record of looks tells so.
    body = _BY_GRPC.sub(b'"surface":"json"', body)
    try:
        return json.loads(
            body.decode(), parse_int=Number, parse_float=Number, object_pairs_hook=_Pairs
        )
    except ValueError:
        return body


class _Pairs(list[Any]):
    """The members of an object, in order."""

    def value(self, name: str) -> Any:
        return next((value for key, value in self if key == name), None)


def lines(body: bytes) -> list[Any]:
    """A body as its lines of JSON, or as the one document that it is."""
    if not body.endswith(b"\n"):
        return [document(body)]
    return [document(line) for line in body.split(b"\n")[:-1]]


def differences(theirs: Seen, ours: Seen) -> list[str]:
    """What differs, each as one text that starts with its kind."""
    return [
        *_status(theirs.answer, ours.answer),
        *_headers(theirs.answer, ours.answer),
        *_bodies(theirs, ours),
        *_calls(theirs.asked, ours.asked),
    ]


def _status(theirs: Answer, ours: Answer) -> Iterator[str]:
    if theirs.status != ours.status:
        yield f"status: {theirs.status} there, {ours.status} here"


def _headers(theirs: Answer, ours: Answer) -> Iterator[str]:
    names = {name for name, _ in (*theirs.headers, *ours.headers)}
    for name in sorted(names):
        counts = name in _HEADERS or name.startswith("grpc-metadata-")
        if counts and name not in _NOT_COMPARED and theirs.header(name) != ours.header(name):
            yield f"header: {name} is {theirs.header(name)} there, {ours.header(name)} here"
    if theirs.trailers != ours.trailers:
        yield f"trailers: {theirs.trailers} there, {ours.trailers} here"


def _bodies(theirs: Seen, ours: Seen) -> Iterator[str]:
    there, here = lines(theirs.answer.body), lines(ours.answer.body)
    pairs = zip(there, here, strict=False)
    if len(there) != len(here) or not all(a == b or _same_refusal(a, b) for a, b in pairs):
        yield f"body: {theirs.answer.body[:600]!r} there, {ours.answer.body[:600]!r} here"


def _same_refusal(there: Any, here: Any) -> bool:
    """Tell whether two refusals of the gateways themselves, which have no details, say the same."""
    both = isinstance(there, _Pairs) and isinstance(here, _Pairs)
    if not both or [key for key, _ in there] != [key for key, _ in here]:
        return False
    if there.value("code") != here.value("code") or there.value("details") or here.value("details"):
        return False
    if there.value("code") not in _OWN_CODES:
        return False
    return same_text(str(there.value("message")), str(here.value("message")))


def same_text(there: str, here: str) -> bool:
    """Tell whether our text may stand for theirs."""
    there = there.replace("\u00a0", " ")
    if any(pattern.fullmatch(there) for pattern in _OWN_TEXTS):
        return there == here
    start = _OWN_STARTS.match(there)
    return here.startswith(start[0]) if start else bool(here)


def _calls(theirs: list[Asked], ours: list[Asked]) -> Iterator[str]:
    there, here = [_told(one) for one in theirs], [_told(one) for one in ours]
    if there != here:
        yield f"call: {there} there, {here} here"
        return
    for one, other in zip(theirs, ours, strict=True):
        yield from _metadata(one, other)
        left, right = one.incoming.time_left, other.incoming.time_left
        slack = max(_SLACK_SECONDS, (left or 0) * 1e-6)
        same = left is right or (left and right and abs(left - right) < slack)
        if not same:
            yield f"deadline: {left} there, {right} here"


def _told(asked: Asked) -> str:
    # As text, for one NaN has many forms in bytes.
    return f"{asked.spec.name} {{{text_format.MessageToString(asked.request, as_one_line=True)}}}"


def _metadata(theirs: Asked, ours: Asked) -> Iterator[str]:
    there, here = _by_name(theirs), _by_name(ours)
    for name in sorted(there.keys() | here.keys()):
        # Several headers may become one name; the gateway takes them in any order.
        if sorted(map(str, there.get(name, ()))) != sorted(map(str, here.get(name, ()))):
            yield f"metadata: {name} is {there.get(name)} there, {here.get(name)} here"


def _by_name(asked: Asked) -> dict[str, list[str | bytes]]:
    found: dict[str, list[str | bytes]] = {}
    for name, value in asked.incoming.metadata:
        if name not in _TRANSPORT:
            found.setdefault(name, []).append(value)
    return found
