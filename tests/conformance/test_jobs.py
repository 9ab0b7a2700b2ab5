"""Works that fail, come too late or are given up, alone and in company."""

import asyncio
import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING

import pytest

from postroom.agent import Agent
from postroom.errors import Code, Expired, Forbidden
from postroom.ports import Session
from postroom.storage.failures import StoreFailure
from postroom.storage.store import Store
from tests.conformance.callers import HeldUp, held_up
from tests.conformance.world import SENT, add_agents, deliver, numbers, wires

if TYPE_CHECKING:
    from collections.abc import Callable


class Halfway(Exception):
    """An error of ours in the middle of a call."""


@pytest.fixture
def pair(store: Store) -> tuple[Agent, Agent]:
    """Two agents."""
    alfa, bravo = add_agents(store, "alfa", "bravo")
    return alfa, bravo


def _good(held: HeldUp, pair: tuple[Agent, Agent], id: str) -> Future[str]:
    def work(session: Session) -> str:
        deliver(session, id, *pair)
        return id

    return held.write(work)


def _bad(held: HeldUp, pair: tuple[Agent, Agent], id: str, error: Exception) -> Future[str]:
    def work(session: Session) -> str:
        deliver(session, id, *pair)
        raise error

    return held.write(work)


@pytest.mark.parametrize(
    "error",
    [
        Halfway(),
        Forbidden("no", "NO"),
        StoreFailure("full"),
        ZeroDivisionError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_work_that_fails_half_way_leaves_nothing_and_disturbs_nobody(
    store: Store, pair: tuple[Agent, Agent], error: Exception
) -> None:
    with held_up(store) as held:
        asked = [
            _good(held, pair, "a"),
            _bad(held, pair, "b", error),
            _good(held, pair, "c"),
            _bad(held, pair, "d", error),
            _good(held, pair, "e"),
        ]
    for future, id in zip(asked, "abcde", strict=True):
        if id in "bd":
            assert future.exception(30) is error
        else:
            assert future.result(30) == id
    assert wires(store, pair[1]) == wires(store, pair[0], SENT) == ["e", "c", "a"]
    assert numbers(store, pair[1]) == numbers(store, pair[0], SENT) == [3, 2, 1]
    assert store.read(lambda session: session.exchanged(*pair)) == 3


def test_a_work_that_fails_alone_leaves_nothing(store: Store, pair: tuple[Agent, Agent]) -> None:
    def work(session: Session) -> None:
        deliver(session, "a", *pair)
        raise Halfway

    for _ in range(2):
        with pytest.raises(Halfway):
            store.write(work)
    assert wires(store, pair[1]) == []
    store.write(lambda session: deliver(session, "b", *pair))
    assert numbers(store, pair[1]) == [1]


def test_a_refusal_before_the_first_write_undoes_nothing(
    store: Store, pair: tuple[Agent, Agent]
) -> None:
    runs: list[str] = []

    def refuse(session: Session) -> str:
        session.lock(*pair)
        runs.append("refuse")
        raise Forbidden("no", "NO")

    with held_up(store) as held:
        asked = [_good(held, pair, "a"), held.write(refuse), _good(held, pair, "b")]
    assert isinstance(asked[1].exception(30), Forbidden)
    assert [asked[0].result(30), asked[2].result(30)] == ["a", "b"]
    assert runs == ["refuse"]
    assert numbers(store, pair[1]) == [2, 1]


def test_a_work_whose_deadline_has_passed_is_not_begun(
    store: Store, pair: tuple[Agent, Agent]
) -> None:
    begun: list[str] = []

    def work(session: Session) -> None:
        begun.append("late")
        deliver(session, "late", *pair)

    for until in (0.0, time.monotonic()):
        with pytest.raises(Expired) as refusal:
            store.write(work, until)
        assert refusal.value.code is Code.DEADLINE_EXCEEDED
    assert (begun, wires(store, pair[1])) == ([], [])
    store.write(lambda session: deliver(session, "a", *pair), time.monotonic() + 60)
    assert wires(store, pair[1]) == ["a"]


def test_a_deadline_that_passes_in_the_queue_keeps_the_others_waiting_for_nothing(
    store: Store, pair: tuple[Agent, Agent]
) -> None:
    with held_up(store) as held:
        until = time.monotonic() + 0.01
        late = held.write(lambda session: deliver(session, "late", *pair), until)
        good = _good(held, pair, "a")
        while time.monotonic() < until:
            pass
    assert isinstance(late.exception(30), Expired)
    assert good.result(30) == "a"
    assert wires(store, pair[1]) == ["a"]


def test_reads_past_their_deadline_are_not_begun_either(store: Store) -> None:
    begun: list[Session] = []

    async def late() -> None:
        await store.perform(begun.append, writes=False, until=time.monotonic() - 1)

    with pytest.raises(Expired):
        asyncio.run(late())
    assert begun == []


def test_a_call_that_was_cancelled_before_it_began_is_never_begun(
    store: Store, pair: tuple[Agent, Agent]
) -> None:
    async def run() -> None:
        with held_up(store):
            reply = store.perform(
                lambda session: deliver(session, "gone", *pair), writes=True, until=None
            )
            kept = store.perform(
                lambda session: deliver(session, "kept", *pair), writes=True, until=None
            )
            assert reply.cancel()
        await kept
        assert reply.cancelled()

    asyncio.run(run())
    assert wires(store, pair[1]) == ["kept"]


def test_a_call_that_is_cancelled_while_it_runs_is_done_all_the_same(
    store: Store, pair: tuple[Agent, Agent]
) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        begun, left = asyncio.Event(), threading.Event()

        def work(session: Session) -> None:
            deliver(session, "done", *pair)
            loop.call_soon_threadsafe(begun.set)
            assert left.wait(30)

        reply = store.perform(work, writes=True, until=None)
        await begun.wait()
        reply.cancel()
        left.set()
        with pytest.raises(asyncio.CancelledError):
            await reply

    asyncio.run(run())
    store.check()
    assert wires(store, pair[1]) == ["done"]


def test_an_event_loop_that_has_gone_does_not_stop_the_writer(
    store: Store, pair: tuple[Agent, Agent]
) -> None:
    async def leave() -> None:
        store.perform(lambda session: deliver(session, "a", *pair), writes=True, until=None)

    with held_up(store):
        asyncio.run(leave())
    store.check()
    store.write(lambda session: deliver(session, "b", *pair))
    assert wires(store, pair[1])[0] == "b"


def test_a_closed_store_is_used_by_nobody(store: Store, pair: tuple[Agent, Agent]) -> None:
    store.close()

    def work(session: Session) -> object:
        return session.agent(pair[0].id)

    async def perform(*, writes: bool) -> object:
        return await asyncio.wait_for(store.perform(work, writes=writes, until=None), 30)

    uses: list[Callable[[], object]] = [
        lambda: store.write(work),
        lambda: store.read(work),
        lambda: asyncio.run(perform(writes=True)),
        lambda: asyncio.run(perform(writes=False)),
        store.check,
    ]
    for use in uses:
        with pytest.raises(StoreFailure) as failed:
            use()
        assert failed.value.kind == "unavailable"
    store.close()


def test_what_was_asked_before_the_store_is_closed_is_still_done(
    store: Store, pair: tuple[Agent, Agent]
) -> None:
    with held_up(store) as held:
        asked = [_good(held, pair, str(number)) for number in range(5)]
    store.close()
    assert [future.result(30) for future in asked] == ["0", "1", "2", "3", "4"]
