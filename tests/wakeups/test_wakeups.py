"""Who is woken, by which server's mail, and what an unreachable database does."""

import asyncio
from collections.abc import Iterator

import pytest

from postroom.errors import Refusal
from postroom.ports import Session
from postroom.storage import open_store
from postroom.storage.failures import StoreFailure
from tests.doubles import ManualClock
from tests.operations.watched import Watched, until
from tests.room import Room


@pytest.fixture
def watched(database_url: str, clock: ManualClock) -> Iterator[Watched]:
    opened = Watched(database_url, clock)
    yield opened
    opened.close()


def anybody(_: Session) -> None:
    """May always watch."""


def test_mail_of_another_server_is_found_by_looking(
    watched: Watched, database_url: str, clock: ManualClock
) -> None:
    other_store = open_store(database_url, clock)
    other = Room(other_store, clock)
    alfa = other.agent("alfa").id
    number = other.office.store.read(lambda session: session.agent(alfa))
    assert number is not None

    async def work(_: Room) -> None:
        with watched.wakeups.subscribe(number.number, anybody, alfa) as place:  # type: ignore[arg-type]
            await watched.wakeups.look(watched.store)
            await asyncio.wait_for(place.wait(), 1)
            await watched.wakeups.look(watched.store)
            waiting = asyncio.ensure_future(place.wait())
            await asyncio.sleep(0.05)
            assert not waiting.done(), "nothing is new"
            await asyncio.to_thread(other.send, "", alfa)
            await watched.wakeups.look(watched.store)
            await asyncio.wait_for(waiting, 1)

    watched.run(work)
    other.close()
    other_store.close()


def test_only_those_who_watch_the_mailbox_are_woken(watched: Watched) -> None:
    async def work(_: Room) -> None:
        subscribe = watched.wakeups.subscribe
        with subscribe(1, anybody, "a") as one, subscribe(2, anybody, "b") as other:  # type: ignore[arg-type]
            watched.wakeups.arrived(frozenset({1}))
            await asyncio.wait_for(one.wait(), 1)
            waiting = asyncio.ensure_future(other.wait())
            await asyncio.sleep(0.05)
            assert not waiting.done()
            waiting.cancel()

    watched.run(work)


def test_nothing_is_woken_that_is_awake(watched: Watched) -> None:
    async def work(_: Room) -> None:
        is_awake, woken = True, asyncio.Event()
        watched.wakeups.call_also(woken.set, lambda: is_awake)
        watched.wakeups.arrived(frozenset({1}))
        # What was called before comes first.
        await asyncio.sleep(0.05)
        assert not woken.is_set()
        is_awake = False
        watched.wakeups.arrived(frozenset({1}))
        await asyncio.wait_for(woken.wait(), 1)

    watched.run(work)


def test_a_place_is_given_back_whatever_happens(watched: Watched) -> None:
    async def work(_: Room) -> None:
        for number in range(100):
            with (
                pytest.raises(ZeroDivisionError),
                watched.wakeups.subscribe(number, anybody, "a"),  # type: ignore[arg-type]
            ):
                raise ZeroDivisionError
        assert len(watched.wakeups) == 0
        watched.wakeups.arrived(frozenset({1}))

    watched.run(work)


def test_a_database_that_is_away_ends_nobodys_watch(watched: Watched) -> None:
    def away(_: Session) -> None:
        raise StoreFailure("unavailable")

    async def work(_: Room) -> None:
        with watched.wakeups.subscribe(1, away, "a") as place:  # type: ignore[arg-type]
            with pytest.raises(StoreFailure):
                await watched.wakeups.prove(watched.store)
            waiting = asyncio.ensure_future(place.wait())
            await asyncio.sleep(0.05)
            assert not waiting.done()
            waiting.cancel()

    watched.run(work)


def test_who_may_not_watch_any_more_is_told_and_the_others_go_on(watched: Watched) -> None:
    from postroom.errors import CallerUnknown

    def gone(_: Session) -> None:
        raise CallerUnknown("you are gone", "CALLER_ARCHIVED")

    async def work(_: Room) -> None:
        subscribe = watched.wakeups.subscribe
        with subscribe(1, gone, "a") as one, subscribe(1, anybody, "b") as other:  # type: ignore[arg-type]
            await watched.wakeups.prove(watched.store)
            with pytest.raises(Refusal, match="you are gone"):
                await one.wait()
            waiting = asyncio.ensure_future(other.wait())
            await until(lambda: True)
            assert not waiting.done()
            waiting.cancel()

    watched.run(work)


def test_looking_is_repeated_for_ever_even_after_a_failure(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postroom.wakeups.LOOK_SECONDS", 0.01)
    looks = 0

    async def look(_: object) -> None:
        nonlocal looks
        looks += 1
        raise StoreFailure("busy")

    monkeypatch.setattr(watched.wakeups, "look", look)

    async def work(_: Room) -> None:
        task = asyncio.ensure_future(watched.wakeups.look_for_ever(watched.store))
        await until(lambda: looks > 2)
        task.cancel()

    watched.run(work)
