"""Ids and instants."""

import pytest

from postroom.clock import SystemClock
from postroom.ids import TimeOrderedIds
from postroom.instant import DAY, MINUTE, SECOND, rfc3339
from tests.doubles import START, ManualClock


def test_an_id_is_its_prefix_and_26_characters() -> None:
    ids = TimeOrderedIds(ManualClock())
    id = ids.new("agt_")
    assert id.startswith("agt_")
    assert len(id) == 30
    assert set(id[4:]) <= set("0123456789abcdefghjkmnpqrstvwxyz")


def test_ids_sort_by_the_millisecond_they_were_made_in() -> None:
    clock = ManualClock()
    lowest, highest = (TimeOrderedIds(clock, lambda bits, of=of: of(bits)) for of in (_no, _all))  # type: ignore[misc]
    made = []
    for _ in range(3):
        made += [lowest.new("m"), highest.new("m")]
        clock.advance(milliseconds=1)
    assert made == sorted(made)
    assert len({id[:11] for id in made}) == 3


def _no(bits: int) -> int:
    assert bits == 80
    return 0


def _all(bits: int) -> int:
    return (1 << bits) - 1


def test_ids_of_one_instant_differ() -> None:
    ids = TimeOrderedIds(ManualClock())
    assert len({ids.new("") for _ in range(1_000)}) == 1_000


def test_an_id_spells_the_clock_and_the_random_bits() -> None:
    assert TimeOrderedIds(ManualClock(0), lambda _: 31).new("x_") == "x_" + "0" * 25 + "z"
    assert TimeOrderedIds(ManualClock(1_000), lambda _: 0).new("") == "0000000001" + "0" * 16
    assert TimeOrderedIds(ManualClock(999), lambda _: 0).new("") == "0" * 26


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (1, "1970-01-01T00:00:00.000001Z"),
        (999_999, "1970-01-01T00:00:00.999999Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (START, "2026-12-01T09:30:00.000000Z"),
        (START + 7 * DAY + MINUTE + SECOND, "2026-12-08T09:31:01.000000Z"),
        (951_782_400 * SECOND, "2000-02-29T00:00:00.000000Z"),
        (253_402_300_799 * SECOND + 999_999, "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_an_instant_is_written_in_utc_with_six_digits(instant: int, text: str) -> None:
    assert rfc3339(instant) == text


def test_the_systems_clock_tells_microseconds() -> None:
    clock = SystemClock()
    assert START / 2 < clock.now() <= clock.now() < 4 * START
