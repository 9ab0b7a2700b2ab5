"""Refused attempts: which of them are written down."""

from dataclasses import replace

from postroom import denials
from postroom.denials import Denials
from postroom.instant import HOUR
from tests.domain.test_chain import FIRST


def test_of_equal_attempts_each_doubling_is_written_down_with_what_it_stands_for() -> None:
    counting = Denials()
    due = [counting.count(FIRST) for _ in range(20)]
    assert due == [1, 1, 0, 2, 0, 0, 0, 4, *[0] * 7, 8, *[0] * 4]


def test_a_million_attempts_leave_twenty_records_that_tell_of_most() -> None:
    counting = Denials()
    due = [counting.count(FIRST) for _ in range(1_000_000)]
    assert sum(1 for attempts in due if attempts) == 20
    assert sum(due) > 500_000


def test_attempts_by_whom_at_what_and_why_are_told_apart() -> None:
    counting = Denials()
    for other in ({}, {"reader": 9}, {"owner": 9}, {"method": "S/N"}, {"reason": "Y"}):
        assert counting.count(replace(FIRST, **other)) == 1
    assert counting.count(FIRST) == 1
    assert counting.count(FIRST) == 0


def test_each_hour_is_counted_anew_also_when_the_clock_is_set_back() -> None:
    counting = Denials()
    instants = [0, 0, 0, HOUR - 1, HOUR, HOUR, HOUR, 0]
    due = [counting.count(replace(FIRST, read_at=at)) for at in instants]
    assert due == [1, 1, 0, 2, 1, 1, 0, 1]


def test_so_many_attempts_are_remembered_and_the_quietest_forgotten() -> None:
    counting = Denials()
    assert [counting.count(FIRST) for _ in range(3)] == [1, 1, 0]
    for reader in range(denials._MOST_REMEMBERED):
        counting.count(replace(FIRST, reader=100 + reader))
    assert counting.count(FIRST) == 1
    assert len(counting._seen) == denials._MOST_REMEMBERED
