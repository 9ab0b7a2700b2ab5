"""Points in time: whole microseconds since the Unix epoch, in UTC."""

from datetime import datetime, timedelta

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - all instants are UTC; the Z is written below
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def rfc3339(instant: int) -> str:
    """Write an instant as mail.md fixes it: UTC, `Z`, always six digits."""
    moment = EPOCH + timedelta(microseconds=instant)
    return moment.isoformat(timespec="microseconds") + "Z"
