"""Instants of RFC 3339, read."""

import pytest

from postroom.errors import InvalidRequest
from postroom.instant import instant_of, rfc3339


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-12-01T09:30:00Z", "2026-12-01T09:30:00.000000Z"),
        ("2026-12-01t09:30:00.5z", "2026-12-01T09:30:00.500000Z"),
        ("2026-12-01T09:30:00.1234569Z", "2026-12-01T09:30:00.123456Z"),
        ("2026-12-01T09:30:00+02:00", "2026-12-01T07:30:00.000000Z"),
        ("2026-12-01T09:30:00-07:45", "2026-12-01T17:15:00.000000Z"),
        ("2026-12-01T09:30:00-00:00", "2026-12-01T09:30:00.000000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000Z"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
    ],
)
def test_an_instant_is_read_to_the_microsecond(text: str, expected: str) -> None:
    assert rfc3339(instant_of(text, "field")) == expected


def test_years_at_either_end_are_ordered_whatever_their_offset() -> None:
    ends = ("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59")
    first, last = (instant_of(text, "field") for text in ends)
    assert first < instant_of("0001-01-01T00:00:00Z", "field")
    assert last > instant_of("9999-12-31T23:59:59Z", "field")


@pytest.mark.parametrize(
    "text", ["", "now", "2025-02-29T00:00:00Z", "2026-12-01T09:30:61Z", "2026-12-01T09:30:00"]
)
def test_what_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        instant_of(text, "since_ts")
    assert [violation.field for violation in caught.value.violations] == ["since_ts"]
