"""Sessions of callers: whose id is known, who is in one, and when it is forgotten."""

import itertools

import pytest

from postroom.caller_sessions import (
    IDLE_SECONDS,
    MOST_AGENTS,
    MOST_SESSIONS,
    OUTSIDE,
    CallerSessions,
)
from postroom.records import Proof
from tests.doubles import ManualClock

ONE, OTHER = "1" * 32, "2" * 32


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def sessions(clock: ManualClock) -> CallerSessions:
    return CallerSessions(clock, b"key")


def _enter(sessions: CallerSessions, id: str, agent: str = "agt_1") -> None:
    sessions.of(id).enter(agent, Proof.NAMED)


def test_an_agent_is_in_the_session_that_it_has_called_in(sessions: CallerSessions) -> None:
    _enter(sessions, ONE)
    assert sessions.of(ONE).entry("agt_1")
    assert not sessions.of(ONE).entry("agt_2")
    assert not sessions.of(OTHER).entry("agt_1")


@pytest.mark.parametrize("id", ["", "short", "x" * 31, "x" * 129, "x" * 31 + "\n", "é" * 40])
def test_an_id_that_could_be_guessed_is_no_session(sessions: CallerSessions, id: str) -> None:
    _enter(sessions, id)
    sessions.of(id).admit("agt_1")
    assert sessions.of(id) is OUTSIDE
    assert not sessions.of(id).entry("agt_1")


def test_a_session_is_forgotten_when_nobody_calls_in_it(
    sessions: CallerSessions, clock: ManualClock
) -> None:
    _enter(sessions, ONE)
    for _ in range(2):
        clock.advance(seconds=IDLE_SECONDS)
        assert sessions.of(ONE).entry("agt_1")
    clock.advance(seconds=IDLE_SECONDS + 1)
    sessions.of(OTHER)
    assert not sessions.of(ONE).entry("agt_1")


def test_of_too_many_sessions_those_idle_longest_are_forgotten(sessions: CallerSessions) -> None:
    _enter(sessions, ONE)
    _enter(sessions, OTHER)
    for number in range(MOST_SESSIONS - 1):
        sessions.of(f"{number:032d}")
    assert sessions.of(OTHER).entry("agt_1")
    assert not sessions.of(ONE).entry("agt_1")


def test_a_session_holds_so_many_agents_and_no_more(sessions: CallerSessions) -> None:
    for number in range(MOST_AGENTS + 1):
        _enter(sessions, ONE, f"agt_{number}")
    assert sessions.of(ONE).entry(f"agt_{MOST_AGENTS - 1}")
    assert not sessions.of(ONE).entry(f"agt_{MOST_AGENTS}")


def test_issued_ids_are_known_at_every_server_of_the_database(clock: ManualClock) -> None:
    one, other, foreign = (CallerSessions(clock, key) for key in (b"key", b"key", b"other"))
    id = one.issue()
    assert one.is_issued(id)
    assert other.is_issued(id)
    assert not foreign.is_issued(id)
    assert len({one.issue() for _ in range(100)}) == 100


def test_no_other_id_is_known(sessions: CallerSessions) -> None:
    id = sessions.issue()
    for at, letter in itertools.product((0, 31, 32, 63), "AB"):
        changed = f"{id[:at]}{letter}{id[at + 1 :]}"
        assert sessions.is_issued(changed) == (changed == id)
    for wrong in ("", id[:-1], f"{id}A", ONE, "x" * 64, f"{id},{id}"):
        assert not sessions.is_issued(wrong)


def test_an_ended_session_is_unknown_and_empty(sessions: CallerSessions) -> None:
    id = sessions.issue()
    _enter(sessions, id)
    sessions.end(id)
    assert not sessions.is_issued(id)
    assert not sessions.of(id).entry("agt_1")
