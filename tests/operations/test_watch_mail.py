"""WatchMail: what arrives, as it arrives."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from typing import Any

import pytest

from agent.v1.mail_pb2 import (
    MAILBOX_READ_EVENT_WATCH_CLOSED,
    MAILBOX_READ_EVENT_WATCH_OPENED,
)
from postroom.errors import Code, Refusal
from tests.doubles import ManualClock
from tests.operations.watched import Watched, until
from tests.room import Room


@pytest.fixture
def watched(database_url: str, clock: ManualClock) -> Iterator[Watched]:
    opened = Watched(database_url, clock, per_caller=3, in_all=5)
    yield opened
    opened.close()


async def agent(room: Room, name: str) -> str:
    made: Any = await room.begin("CreateAgent", name=name, workflow="w")
    return str(made.agent.id)


async def send(room: Room, sender: str, to: str, *bodies: str) -> None:
    for body in bodies:
        await room.begin("SendMail", sender, to=to, body=body)


async def take(events: AsyncIterator[Any], count: int) -> list[Any]:
    return [await anext(events) for _ in range(count)]


def bodies(events: list[Any]) -> list[str]:
    return [event.mail.body for event in events]


def test_each_piece_comes_once_in_order_and_is_not_claimed(watched: Watched) -> None:
    async def work(room: Room) -> None:
        alfa, bravo = await agent(room, "alfa"), await agent(room, "bravo")
        await send(room, bravo, alfa, "before")
        async with aclosing(room.stream("WatchMail", alfa)) as events:  # type: ignore[type-var]
            first = asyncio.ensure_future(anext(events))
            await until(lambda: len(watched.wakeups) == 1)
            await send(room, bravo, alfa, *"abc")
            seen = [await first, *await take(events, 2)]
            assert bodies(seen) == ["a", "b", "c"]
        listed: Any = await room.begin("ListMail", alfa)
        assert [mail.body for mail in listed.mail] == ["c", "b", "a", "before"]
        assert not any(mail.HasField("claimed_at") for mail in listed.mail)
        assert len(watched.wakeups) == 0

    watched.run(work)


def test_what_waits_comes_first_when_it_is_asked_for(watched: Watched) -> None:
    async def work(room: Room) -> None:
        alfa, bravo = await agent(room, "alfa"), await agent(room, "bravo")
        await send(room, bravo, alfa, "read", "waits", "waits too")
        await room.begin("ReadMail", alfa, limit=1)
        stream = room.stream("WatchMail", alfa, include_waiting=True)
        async with aclosing(stream) as events:  # type: ignore[type-var]
            assert bodies(await take(events, 2)) == ["waits", "waits too"]

    watched.run(work)


def test_a_cursor_goes_on_without_a_gap(watched: Watched) -> None:
    async def work(room: Room) -> None:
        alfa, bravo = await agent(room, "alfa"), await agent(room, "bravo")
        await send(room, bravo, alfa, *(str(number) for number in range(9)))
        seen: list[Any] = []
        asked: dict[str, Any] = {"include_waiting": True}
        for count in (2, 3, 4):
            stream = room.stream("WatchMail", alfa, **asked)
            async with aclosing(stream) as events:  # type: ignore[type-var]
                seen += await take(events, count)
            asked = {"cursor": seen[-1].cursor}
        assert bodies(seen) == [str(number) for number in range(9)]
        for changed in (
            {"cursor": "forged"},
            {"cursor": seen[0].cursor, "include_waiting": True},
            {"cursor": seen[0].cursor, "id": bravo},
        ):
            with pytest.raises(Refusal) as refused:
                await anext(room.stream("WatchMail", alfa, **changed))
            assert refused.value.code is Code.INVALID_ARGUMENT

    watched.run(work)


def test_more_than_a_batch_is_passed_on_whole(watched: Watched) -> None:
    async def work(room: Room) -> None:
        alfa = await agent(room, "alfa")
        await send(room, "", alfa, *(str(number) for number in range(120)))
        stream = room.stream("WatchMail", alfa, include_waiting=True)
        async with aclosing(stream) as events:  # type: ignore[type-var]
            assert bodies(await take(events, 120)) == [str(number) for number in range(120)]

    watched.run(work)


def test_watching_another_mailbox_is_recorded_before_anything_is_shown(watched: Watched) -> None:
    async def work(room: Room) -> None:
        alfa, bravo = await agent(room, "alfa"), await agent(room, "bravo")
        await send(room, "", alfa, "seen")
        for as_ in (bravo, ""):
            stream = room.stream("WatchMail", as_, id=alfa, include_waiting=True)
            async with aclosing(stream) as events:  # type: ignore[type-var]
                assert bodies(await take(events, 1)) == ["seen"]
        found: Any = await room.begin("ListMailboxReads", alfa)
        reads = list(found.reads)
        assert [(read.reader_agent_id, read.event) for read in reads] == [
            ("operator", MAILBOX_READ_EVENT_WATCH_CLOSED),
            ("operator", MAILBOX_READ_EVENT_WATCH_OPENED),
            (bravo, MAILBOX_READ_EVENT_WATCH_CLOSED),
            (bravo, MAILBOX_READ_EVENT_WATCH_OPENED),
        ]
        assert {read.method for read in reads} == {"agent.v1.AgentService/WatchMail"}
        assert not reads[1].HasField("mail_count")

    watched.run(work)


def test_a_stream_ends_when_its_caller_may_not_watch_any_more(watched: Watched) -> None:
    async def work(room: Room) -> None:
        alfa, bravo = await agent(room, "alfa"), await agent(room, "bravo")
        made: Any = await room.begin("CreateToken", agent_id=alfa)
        ends: tuple[Callable[[], Any], ...] = (
            lambda: room.begin("RevokeToken", key_id=made.key_id),
            lambda: room.begin("ArchiveAgent", id=bravo),
        )
        reasons = []
        for as_, end in zip((made.token, bravo), ends, strict=True):
            waiting = asyncio.ensure_future(anext(room.stream("WatchMail", as_)))
            await until(lambda: len(watched.wakeups) == 1)
            await end()
            await watched.wakeups.prove(watched.store)
            with pytest.raises(Refusal) as refused:
                await waiting
            reasons.append(refused.value.reason)
            await until(lambda: len(watched.wakeups) == 0)
        assert reasons == ["TOKEN_INVALID", "CALLER_ARCHIVED"]

    watched.run(work)


def test_there_are_so_many_places_for_a_caller_and_in_all(watched: Watched) -> None:
    async def work(room: Room) -> None:
        names = [await agent(room, name) for name in ("alfa", "bravo")]
        open_ = [
            asyncio.ensure_future(anext(room.stream("WatchMail", as_)))
            for as_ in (*[names[0]] * 3, *[names[1]] * 2)
        ]
        await until(lambda: len(watched.wakeups) == 5)
        for as_ in (names[0], ""):
            with pytest.raises(Refusal) as refused:
                await anext(room.stream("WatchMail", as_))
            assert refused.value.code is Code.RESOURCE_EXHAUSTED
            assert refused.value.reason == "TOO_MANY_STREAMS"
        for task in open_:
            task.cancel()
        await asyncio.gather(*open_, return_exceptions=True)
        assert len(watched.wakeups) == 0

    watched.run(work)
