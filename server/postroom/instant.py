"""Points in time: whole microseconds since the Unix epoch, in UTC."""

import re
from datetime import datetime, timedelta
from functools import lru_cache

from postroom.errors import invalid

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - all instants are UTC; the Z is written below
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):([0-5]\d|60)(?:\.(?P<fraction>\d+))?"
    r"(?:[Zz]|(?P<sign>[+-])(?P<hours>[01]\d|2[0-3]):(?P<minutes>[0-5]\d))",
    re.ASCII,
)


def rfc3339(instant: int) -> str:
    """Write an instant as mail.md fixes it: UTC, `Z`, always six digits."""
    seconds, rest = divmod(instant, SECOND)
    return f"{_second(seconds)}.{rest:06d}Z"


@lru_cache(maxsize=1024)
def _second(seconds: int) -> str:
    """A second as text; what is written together lies in few of them."""
    return (EPOCH + timedelta(seconds=seconds)).isoformat()


def instant_of(text: str, field: str) -> int:
    """Read an instant of RFC 3339, whose offset must be given. Raises InvalidRequest.

    Of a second no more than six digits count; a leap second is the one after it.
    """
    found = _RFC3339.fullmatch(text)
    instant = _instant(found) if found else None
    if instant is None:
        told = "must be an instant with its offset, such as 2026-12-01T09:30:00Z"
        raise invalid(field, told)
    return instant


def _instant(found: re.Match[str]) -> int | None:
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    try:
        # A leap second has no place in the count; what follows it has.
        moment = datetime(year, month, day, hour, minute) - EPOCH  # noqa: DTZ001 - see EPOCH
    except ValueError:
        return None
    away = timedelta(hours=int(found["hours"] or 0), minutes=int(found["minutes"] or 0))
    offset = -away if found["sign"] == "-" else away
    fraction = int((found["fraction"] or "").ljust(6, "0")[:6])
    return (moment - offset + timedelta(seconds=second)) // timedelta(microseconds=1) + fraction
