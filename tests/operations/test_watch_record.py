"""Watching another mailbox: recorded when it begins, and when it ends in whatever way."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import Any

import pytest

from agent.v1.mail_pb2 import (
    MAILBOX_READ_EVENT_REFUSED,
    MAILBOX_READ_EVENT_WATCH_CLOSED,
    MAILBOX_READ_EVENT_WATCH_OPENED,
)
from postroom.errors import Refusal, stopping
from postroom.storage import held
from postroom.storage.failures import StoreFailure
from tests.doubles import ManualClock
from tests.operations.test_watch_mail import agent, send, take
from tests.operations.watched import Watched, until
from tests.room import Room

BOTH = [MAILBOX_READ_EVENT_WATCH_CLOSED, MAILBOX_READ_EVENT_WATCH_OPENED]


@pytest.fixture
def watched(database_url: str, clock: ManualClock) -> Iterator[Watched]:
    opened = Watched(database_url, clock, per_caller=3, in_all=5)
    yield opened
    opened.close()


async def reads_of(room: Room, id: str) -> list[Any]:
    found: Any = await room.begin("ListMailboxReads", id=id)
    return list(found.reads)


async def alfa_with_mail(room: Room) -> tuple[str, str, list[str]]:
    alfa, bravo = await agent(room, "alfa"), await agent(room, "bravo")
    await send(room, "", alfa, "one", "two", "three")
    listed: Any = await room.begin("ListMail", alfa)
    return alfa, bravo, [mail.id for mail in reversed(listed.mail)]


def test_a_watcher_that_leaves_is_recorded_with_what_it_was_given(watched: Watched) -> None:
    async def work(room: Room) -> None:
        alfa, bravo, ids = await alfa_with_mail(room)
        stream = room.stream("WatchMail", bravo, id=alfa, include_waiting=True)
        async with aclosing(stream) as events:  # type: ignore[type-var]
            await take(events, 2)
        closed, opened = await reads_of(room, alfa)
        assert [closed.event, opened.event] == BOTH
        assert (closed.mail_count, closed.first_mail_id, closed.last_mail_id) == (2, *ids[:2])
        assert closed.reader_agent_id == opened.reader_agent_id == bravo

    watched.run(work)


def test_watching_the_own_mailbox_is_not_recorded(watched: Watched) -> None:
    async def work(room: Room) -> None:
        alfa, _, _ = await alfa_with_mail(room)
        stream = room.stream("WatchMail", alfa, include_waiting=True)
        async with aclosing(stream) as events:  # type: ignore[type-var]
            await take(events, 2)
        assert await reads_of(room, alfa) == []

    watched.run(work)


async def _cancel(task: "asyncio.Future[Any]", watched: Watched, room: Room, bravo: str) -> None:
    del watched, room, bravo
    task.cancel()


async def _cancel_twice(
    task: "asyncio.Future[Any]", watched: Watched, room: Room, bravo: str
) -> None:
    del watched, room, bravo
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()


async def _stop(task: "asyncio.Future[Any]", watched: Watched, room: Room, bravo: str) -> None:
    del task, room, bravo
    watched.wakeups.end_all(stopping())


async def _archive(task: "asyncio.Future[Any]", watched: Watched, room: Room, bravo: str) -> None:
    del task
    await room.begin("ArchiveAgent", id=bravo)
    await watched.wakeups.prove(watched.store)


End = Callable[["asyncio.Future[Any]", Watched, Room, str], Awaitable[None]]


@pytest.mark.parametrize("end", [_cancel, _cancel_twice, _stop, _archive])
def test_a_watch_that_is_ended_from_outside_is_recorded(watched: Watched, end: End) -> None:
    async def work(room: Room) -> None:
        alfa, bravo, _ = await alfa_with_mail(room)
        waiting = asyncio.ensure_future(anext(room.stream("WatchMail", bravo, id=alfa)))
        await until(lambda: len(watched.wakeups) == 1)
        await end(waiting, watched, room, bravo)
        with pytest.raises((Refusal, asyncio.CancelledError)):
            await waiting
        watched.store.check()
        closed, opened = await reads_of(room, alfa)
        assert [closed.event, opened.event] == BOTH
        assert (closed.mail_count, closed.HasField("first_mail_id")) == (0, False)

    watched.run(work)


def test_a_watch_for_which_there_is_no_place_is_recorded_as_ended(watched: Watched) -> None:
    async def work(room: Room) -> None:
        alfa, bravo, _ = await alfa_with_mail(room)
        open_ = [asyncio.ensure_future(anext(room.stream("WatchMail", bravo))) for _ in range(3)]
        await until(lambda: len(watched.wakeups) == 3)
        with pytest.raises(Refusal) as refused:
            await anext(room.stream("WatchMail", bravo, id=alfa))
        assert refused.value.reason == "TOO_MANY_STREAMS"
        assert [read.event for read in await reads_of(room, alfa)] == BOTH
        for task in open_:
            task.cancel()
        await asyncio.gather(*open_, return_exceptions=True)

    watched.run(work)


def test_a_refused_watch_is_an_attempt_and_has_no_end(watched: Watched) -> None:
    async def work(room: Room) -> None:
        bravo = await agent(room, "bravo")
        with pytest.raises(Refusal) as refused:
            await anext(room.stream("WatchMail", bravo, id="operator"))
        assert refused.value.reason == "OPERATOR_MAILBOX"
        (read,) = await reads_of(room, "operator")
        assert (read.event, read.reason) == (MAILBOX_READ_EVENT_REFUSED, "OPERATOR_MAILBOX")
        assert read.method == "agent.v1.AgentService/WatchMail"

    watched.run(work)


def test_an_end_that_cannot_be_recorded_is_logged_and_ends_the_watch(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise StoreFailure("full")

    async def work(room: Room) -> None:
        alfa, bravo, _ = await alfa_with_mail(room)
        stream = room.stream("WatchMail", bravo, id=alfa, include_waiting=True)
        with monkeypatch.context() as broken:
            async with aclosing(stream) as events:  # type: ignore[type-var]
                await take(events, 1)
                broken.setattr(held, "append", full)
        (opened,) = await reads_of(room, alfa)
        assert opened.event == MAILBOX_READ_EVENT_WATCH_OPENED
        assert "the end of a watch could not be written down" in caplog.text

    watched.run(work)
