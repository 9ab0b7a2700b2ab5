"""Timestamp and Duration between their JSON text and seconds and nanoseconds."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from postroom.rpc.protojson.refusal import Unprintable, Wrong

Instant = tuple[int, int]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Final = -62_135_596_800
_LAST: Final = 253_402_300_799
_LONGEST: Final = 315_576_000_000
_BILLION: Final = 1_000_000_000
_SECOND: Final = timedelta(seconds=1)
# The largest offset that people write, as Go reads it.
_OFFSET_HOURS: Final = 24
_OFFSET_MINUTES: Final = 60

_TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)T(\d{1,2})(:\d\d:\d\d)(?:[.,](\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_DURATION = re.compile(r"([+-]?)(?=[\d.]*\d)(0|[1-9]\d*|)(?:\.(\d{0,9}))?s", re.ASCII)


def read_timestamp(text: str) -> Instant:
    """Read RFC 3339 with at most nine fraction digits. Raises Wrong."""
    found = _TIMESTAMP.fullmatch(text)
    if not found:
        raise Wrong("must be a time such as 2026-12-01T09:30:00Z")
    day, hour, rest, fraction, sign, hours, minutes = found.groups()
    try:
        # Go's reader takes one digit for the hour, and for nothing else.
        local = datetime.fromisoformat(f"{day}T{hour:0>2}{rest}+00:00")
    except ValueError as error:
        raise Wrong(f"must be a time such as 2026-12-01T09:30:00Z: {error}") from None
    seconds = (local - _EPOCH) // _SECOND - _offset(sign, hours, minutes)
    if not _FIRST <= seconds <= _LAST:
        raise Wrong("must be a time in the years 1 to 9999")
    return seconds, int((fraction or "").ljust(9, "0"))


def print_timestamp(seconds: int, nanos: int) -> str:
    """Return RFC 3339 in UTC. Raises Unprintable out of the years 1 to 9999."""
    if not (_FIRST <= seconds <= _LAST and 0 <= nanos < _BILLION):
        raise Unprintable(f"a Timestamp of {seconds} s and {nanos} ns is out of range")
    day = (_EPOCH + timedelta(seconds=seconds)).isoformat()
    return f"{day.removesuffix('+00:00')}{_fraction(nanos)}Z"


def read_duration(text: str) -> Instant:
    """Read seconds with at most nine fraction digits and an s. Raises Wrong."""
    found = _DURATION.fullmatch(text)
    if not found:
        raise Wrong('must be seconds and an s, such as "1.5s"')
    sign, whole, fraction = found.groups("")
    if len(whole) > len(str(_LONGEST)) or int(whole or 0) > _LONGEST:
        raise Wrong(f"must be a duration of at most {_LONGEST} seconds")
    factor = -1 if sign == "-" else 1
    return factor * int(whole or 0), factor * int(fraction.ljust(9, "0"))


def print_duration(seconds: int, nanos: int) -> str:
    """Return seconds with an s. Raises Unprintable if the parts disagree or are too large."""
    if abs(seconds) > _LONGEST or abs(nanos) >= _BILLION or seconds * nanos < 0:
        raise Unprintable(f"a Duration of {seconds} s and {nanos} ns is out of range")
    sign = "-" if seconds < 0 or nanos < 0 else ""
    return f"{sign}{abs(seconds)}{_fraction(abs(nanos))}s"


def _offset(sign: str | None, hours: str | None, minutes: str | None) -> int:
    if sign is None or hours is None or minutes is None:
        return 0
    if int(hours) > _OFFSET_HOURS or int(minutes) > _OFFSET_MINUTES:
        raise Wrong("must have an offset of at most 24 hours")
    return (1 if sign == "+" else -1) * (int(hours) * 3600 + int(minutes) * 60)


def _fraction(nanos: int) -> str:
    if not nanos:
        return ""
    text = f".{nanos:09d}"
    while text.endswith("000"):
        text = text[:-3]
    return text
