"""A post room whose mailboxes can be watched, on a loop of its own."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from postroom.ports import Clock
from postroom.storage import open_store
from postroom.wakeups import LocalWakeups
from tests.room import Room

T = TypeVar("T")
SECONDS = 10.0


class Watched:
    """The room, its store and who waits in it."""

    def __init__(self, database: str, clock: Clock, **bounds: int) -> None:
        self._runner = asyncio.Runner()
        self.wakeups = LocalWakeups(self._runner.get_loop(), **bounds)
        self.store = open_store(database, clock, self.wakeups)
        self.room = Room(self.store, clock, watches=self.wakeups)

    def run(self, work: Callable[[Room], Coroutine[Any, Any, T]]) -> T:
        """Run something that waits."""

        async def in_time() -> T:
            async with asyncio.timeout(SECONDS):
                return await work(self.room)

        return self._runner.run(in_time())

    def close(self) -> None:
        """Let go of everything."""
        self.room.close()
        self._runner.close()
        self.store.close()


async def until(is_so: Callable[[], bool]) -> None:
    """Let the loop run until it is so."""
    while not is_so():  # noqa: ASYNC110 - what is waited for tells nobody
        await asyncio.sleep(0.005)
