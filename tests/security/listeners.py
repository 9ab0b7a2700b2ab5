"""Both listeners of a post room on real ports, in a thread with a loop of its own."""

import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Iterator
from importlib.util import find_spec
from typing import Any

from postroom.assemble import assemble
from postroom.observe.calls import CallLog
from postroom.observe.door import ObservedDoor, Tracer
from postroom.ports import Clock
from postroom.rpc.methods import Registry
from postroom.rpc.throttle import MINUTE_SECONDS, Throttle
from postroom.settings import Settings
from postroom.surfaces.gateway import Gateway, Guard, Rules
from postroom.surfaces.web import Web, bind
from postroom.surfaces.wire import Wire, WireOptions
from postroom.wakeups import LocalWakeups

HAS_MCP = find_spec("mcp") is not None and find_spec("postroom.surfaces.tools") is not None
LOOPBACK = "127.0.0.1"
_SECONDS = 20.0


def never_throttles() -> Throttle:
    """A throttle for which a minute passes between any two tokens."""
    minutes = iter(range(1, 1_000_000))
    return Throttle(lambda: next(minutes) * MINUTE_SECONDS)


class Listeners:
    """gRPC and HTTP, with MCP on it where that is installed."""

    def __init__(
        self, database: str, *, trusted: bool, patience: float = 60.0, mailbox_limit: int = 200
    ) -> None:
        self.grpc = self.http = ""
        self._settings = Settings(database=database, mailbox_limit=mailbox_limit)
        self._trusted, self._patience = trusted, patience
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self.throttle = never_throttles()
        self.tracer: Tracer | None = None
        self.log: CallLog | None = None

    def start(self, clock: Clock | None = None) -> None:
        """Listen and answer."""
        self._thread.start()
        self.run(self._start(clock))

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run something on the loop and wait for what it returns."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_SECONDS)

    @property
    def watchers(self) -> int:
        """How many watch or wait."""
        return len(self._wakeups)

    def stop(self) -> None:
        """Leave no port open."""
        self.run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_SECONDS)
        self._loop.close()
        self.room.office.store.close()

    async def prove(self) -> None:
        """Ask now who may still watch, without waiting for the next round."""
        await self._wakeups.prove(self.room.office.store)

    async def _start(self, clock: Clock | None) -> None:
        self._wakeups = LocalWakeups(self._loop)
        self.room = assemble(
            self._settings, wakeups=self._wakeups, trusted=self._trusted, clock=clock
        )
        registry = Registry(
            self.room.office, self.room.contract, trusted=self._trusted, throttle=self.throttle
        )
        door = ObservedDoor(registry, self.room.door.metrics, self.log, self.tracer)
        options = WireOptions(patience=self._patience, turned_away=door.turned_away)
        self._wire = Wire(door, options)
        self.grpc = f"{LOOPBACK}:{self._wire.bind(f'{LOOPBACK}:0')}"
        await self._wire.start()
        listener = bind(LOOPBACK, 0)
        self.http = f"{LOOPBACK}:{listener.getsockname()[1]}"
        gateway: Any = Gateway(door, patience=self._patience, turned_away=door.turned_away)
        self._tasks = []
        if HAS_MCP:
            from postroom.surfaces.tools.endpoint import Endpoint

            gateway = Endpoint(gateway, door, self.room.contract)
            self._tasks.append(self._loop.create_task(gateway.run()))
        self._web = Web(Guard(gateway, Rules(hosts=frozenset({self.http}))), listener, 1)
        self._serving = self._loop.create_task(self._web.serve())

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._web.stop(now=True)
        await asyncio.gather(self._wire.stop(0), self._serving)
        left = [*self._tasks, *(asyncio.all_tasks() - {asyncio.current_task()})]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


@contextlib.contextmanager
def listening(database: str, *, clock: Clock | None = None, **more: Any) -> Iterator[Listeners]:
    """Listeners that have stopped when the block ends."""
    listeners = Listeners(database, **more)
    listeners.start(clock)
    try:
        yield listeners
    finally:
        listeners.stop()
