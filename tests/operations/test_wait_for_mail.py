"""WaitForMail: it costs nothing until mail waits."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest

from postroom.errors import Code, Refusal
from postroom.rpc.door import Incoming, Outgoing
from tests.doubles import ManualClock
from tests.operations.watched import Watched, until
from tests.room import CONTRACT, Room


@pytest.fixture
def watched(database_url: str, clock: ManualClock) -> Iterator[Watched]:
    opened = Watched(database_url, clock)
    yield opened
    opened.close()


@pytest.fixture
def alfa(watched: Watched) -> str:
    async def work(room: Room) -> str:
        made: Any = await room.begin("CreateAgent", name="alfa", workflow="w")
        return str(made.agent.id)

    return watched.run(work)


def test_mail_that_waits_is_returned_at_once_oldest_first_and_stays(
    watched: Watched, alfa: str
) -> None:
    async def work(room: Room) -> None:
        for body in "ab":
            await room.begin("SendMail", to=alfa, body=body)
        for _ in range(2):
            found: Any = await room.begin("WaitForMail", alfa)
            assert [mail.body for mail in found.mail] == ["a", "b"]
        assert len(watched.wakeups) == 0

    watched.run(work)


def test_it_returns_when_mail_arrives(watched: Watched, alfa: str) -> None:
    async def work(room: Room) -> None:
        waiting = asyncio.ensure_future(room.begin("WaitForMail", alfa))
        await until(lambda: len(watched.wakeups) == 1)
        await room.begin("SendMail", to=alfa, body="at last")
        found: Any = await waiting
        assert [mail.body for mail in found.mail] == ["at last"]
        assert len(watched.wakeups) == 0

    watched.run(work)


def test_when_the_time_is_over_it_returns_nothing(watched: Watched, alfa: str) -> None:
    async def work(room: Room) -> None:
        begun = time.monotonic()
        found: Any = await room.begin("WaitForMail", alfa, timeout_seconds=1)
        assert not found.mail
        assert 0.9 < time.monotonic() - begun < 5
        assert len(watched.wakeups) == 0

    watched.run(work)


def test_it_returns_before_the_callers_own_deadline(watched: Watched, alfa: str) -> None:
    async def work(room: Room) -> None:
        spec = next(spec for spec in CONTRACT.specs if spec.name == "WaitForMail")
        incoming = Incoming((("postroom-agent-id", alfa),), 0.5)
        begun = time.monotonic()
        found: Any = await room.registry.call(spec, spec.request_class(), incoming, Outgoing())
        assert not found.mail
        assert time.monotonic() - begun < 0.5

    watched.run(work)


def test_claimed_and_expired_mail_is_not_waited_for(
    watched: Watched, alfa: str, clock: ManualClock
) -> None:
    async def work(room: Room) -> None:
        await room.begin("SendMail", to=alfa, body="claimed")
        await room.begin("ReadMail", alfa)
        await room.begin("SendMail", to=alfa, body="expired")
        clock.advance(days=7)
        found: Any = await room.begin("WaitForMail", alfa, timeout_seconds=1)
        assert not found.mail

    watched.run(work)


def test_a_caller_that_may_not_wait_any_more_is_told(watched: Watched, alfa: str) -> None:
    async def work(room: Room) -> None:
        waiting = asyncio.ensure_future(room.begin("WaitForMail", alfa))
        await until(lambda: len(watched.wakeups) == 1)
        await room.begin("ArchiveAgent", id=alfa)
        await watched.wakeups.prove(watched.store)
        with pytest.raises(Refusal) as refused:
            await waiting
        assert refused.value.code is Code.UNAUTHENTICATED

    watched.run(work)
