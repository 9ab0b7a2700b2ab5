"""Points in time: whole microseconds since the Unix epoch, in UTC."""

from datetime import UTC, datetime, timedelta

from postroom.errors import invalid

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - all instants are UTC; the Z is written below
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def rfc3339(instant: int) -> str:
    """Write an instant as mail.md fixes it: UTC, `Z`, always six digits."""
    moment = EPOCH + timedelta(microseconds=instant)
    return moment.isoformat(timespec="microseconds") + "Z"


def instant_of(text: str, field: str) -> int:
    """Read an instant of RFC 3339, whose offset must be given. Raises InvalidRequest."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or "T" not in text.upper():
        told = "must be an instant with its offset, such as 2026-12-01T09:30:00Z"
        raise invalid(field, told)
    since = moment.astimezone(UTC).replace(tzinfo=None) - EPOCH
    return since // timedelta(microseconds=1)
