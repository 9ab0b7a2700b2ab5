"""The courier: woken by sends, patient with trouble, and done with its commit when it ends."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from postroom.archive.courier import Courier
from postroom.archive.shelf import Shelf
from postroom.archive.taking import Round, Taker
from postroom.errors import Code, StoreRefusal
from postroom.rpc.messages import mail_of
from postroom.wakeups import LocalWakeups
from tests.archive.kept import AUTHOR, Archive
from tests.operations.messages.world import Project

NEVER = 3600.0
BUSY = StoreRefusal("the database is busy", Code.UNAVAILABLE, "STORAGE_BUSY")


class Scripted(Taker):
    """Answers from a list, and tells how often it was asked."""

    def __init__(self, *answers: Round | Exception) -> None:
        self.answers = list(answers)
        self.rounds = 0
        self.is_stopped = False
        self._asked = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def take_all(self) -> Round:
        self.rounds += 1
        answer = self.answers.pop(0) if self.answers else Round()
        self._loop.call_soon_threadsafe(self._asked.set)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def stop(self) -> None:
        self.is_stopped = True

    def leave(self) -> None:
        assert self.is_stopped

    async def asked(self, times: int) -> None:
        """Wait until it was asked so often."""
        while self.rounds < times:
            self._asked.clear()
            await self._asked.wait()


class Telling(Taker):
    """A real one, which tells when a round is done."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(archive.store, archive.shelf, mail_of)
        self._done = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def take_all(self) -> Round:
        done = super().take_all()
        self._loop.call_soon_threadsafe(self._done.set)
        return done

    async def told(self) -> None:
        """Wait until a round is done."""
        await self._done.wait()
        self._done.clear()


def running(work: Callable[[Path], Awaitable[Any]], folder: Path) -> None:
    """Run a test on a loop of its own, for a bounded time."""

    async def bounded() -> None:
        async with asyncio.timeout(30):
            await work(folder)

    asyncio.run(bounded())


async def ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_it_looks_when_it_is_woken_and_otherwise_waits(tmp_path: Path) -> None:
    async def work(folder: Path) -> None:
        taker = Scripted()
        courier = Courier(taker, Shelf(folder, AUTHOR), look_seconds=NEVER, gather_seconds=0)
        task = asyncio.create_task(courier.run_for_ever())
        for times in (1, 2, 3):
            await taker.asked(times)
            courier.wake()
        await taker.asked(4)
        await ended(task)
        assert taker.is_stopped

    running(work, tmp_path)


def test_it_looks_by_itself_for_what_other_servers_stored(tmp_path: Path) -> None:
    async def work(folder: Path) -> None:
        taker = Scripted()
        courier = Courier(taker, Shelf(folder, AUTHOR), look_seconds=0.001, gather_seconds=0)
        task = asyncio.create_task(courier.run_for_ever())
        await taker.asked(3)
        await ended(task)

    running(work, tmp_path)


def test_p11_trouble_is_told_once_and_the_end_of_it_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    full = Round(left=7, troubles={"wfl_1": "No space left on device"})

    async def work(folder: Path) -> None:
        taker = Scripted(full, full, BUSY, full)
        courier = Courier(taker, Shelf(folder, AUTHOR), look_seconds=NEVER, gather_seconds=0)
        task = asyncio.create_task(courier.run_for_ever())
        await taker.asked(2)
        assert courier.is_behind
        await taker.asked(5)
        courier.wake()
        await taker.asked(6)
        assert not courier.is_behind
        await ended(task)

    with caplog.at_level(logging.INFO):
        running(work, tmp_path)
    told = [record.getMessage() for record in caplog.records if "archive" in record.getMessage()]
    assert told == [
        "the archive is behind, 7 pieces wait: No space left on device",
        "the archive has caught up",
    ]


def test_the_round_that_was_begun_is_brought_to_its_end(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()
    finished = []

    class Slow(Scripted):
        def take_all(self) -> Round:
            begun.set()
            assert go_on.wait(20)
            finished.append(True)
            return Round()

    async def work(folder: Path) -> None:
        courier = Courier(Slow(), Shelf(folder, AUTHOR), look_seconds=NEVER, gather_seconds=0)
        task = asyncio.create_task(courier.run_for_ever())
        await asyncio.to_thread(begun.wait, 20)
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert finished == [True]

    running(work, tmp_path)


def test_a_send_wakes_it_and_the_message_is_filed(
    project: Project, archive: Archive, tmp_path: Path
) -> None:
    project.agents("Alfa", "Bravo")

    async def work(_: Path) -> None:
        wakeups = LocalWakeups(asyncio.get_running_loop())
        taker = Telling(archive)
        courier = Courier(taker, archive.shelf, look_seconds=NEVER, gather_seconds=0)
        wakeups.call_also(courier.wake, courier.is_awake)
        task = asyncio.create_task(courier.run_for_ever())
        await project.room.begin(
            "SendMessage",
            project_key=project.key,
            sender_name="Alfa",
            to=["Bravo"],
            subject="s",
            body_md="b",
        )
        wakeups.arrived(frozenset({1}))
        while archive.waiting:
            await taker.told()
        await ended(task)

    running(work, tmp_path)
    assert archive.commits() == 1
    archive.must_be_sound()
