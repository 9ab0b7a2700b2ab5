"""Post rooms for the oracle: two that are alike to the last digit, and a real server."""

import asyncio
import contextlib
import inspect
import itertools
import json
import random
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from postroom.assemble import PostRoom, assemble
from postroom.observe.door import ObservedDoor
from postroom.page import Cursors
from postroom.rpc.contract import Spec
from postroom.rpc.methods import Registry, find_operation
from postroom.rpc.throttle import Throttle
from postroom.serve import _app, _pages
from postroom.settings import Settings
from postroom.surfaces.gateway import Gateway, Rules
from postroom.surfaces.pages import Pages
from postroom.surfaces.tools import Endpoint
from postroom.surfaces.wire import Wire
from postroom.wakeups import LocalWakeups
from tests.doubles import CountingIds, ManualClock
from tests.interop.gateway.compare import Seen
from tests.interop.gateway.doors import Watched
from tests.interop.gateway.exchange import Request
from tests.interop.gateway.sites import Pair, Side, real_gateway, web
from tests.interop.ports import free_port

_JSON = ("Content-Type", "application/json")
AGENTS = ("alfa", "bravo", "charlie", "delta")
_CALLER = "Grpc-Metadata-Postroom-Agent-Id"


@dataclass
class Known:
    """What the answers so far have told: ids, tokens, and so on."""

    dice: random.Random
    agents: list[str] = field(default_factory=lambda: ["operator"])
    mail: list[str] = field(default_factory=lambda: ["m1"])
    cursors: list[str] = field(default_factory=lambda: ["c1"])

    def text(self, asked: FieldDescriptor) -> str | None:
        """A text that means something for a field, None where any will do."""
        pools = {
            **dict.fromkeys(("id", "to", "parent_id", "agent_ids"), (*self.agents, *AGENTS)),
            "reply_to": tuple(self.mail),
            "cursor": tuple(self.cursors),
            "workflow": ("main", "side", "gone"),
            "name": (*AGENTS, *(f"agent{self.dice.randrange(1000)}" for _ in range(5))),
            "request_id": ("k1", "k2", "k3", ""),
        }
        pool = pools.get(asked.name)
        return self.dice.choice(pool) if pool else None

    def learn(self, seen: Seen) -> None:
        """Take up what an answer tells."""
        with contextlib.suppress(ValueError):
            self._take(json.loads(seen.answer.body))

    def caller(self) -> tuple[tuple[str, str], ...]:
        """A header that says who calls; nobody, at times."""
        if self.dice.random() < 0.4:
            return ()
        return ((_CALLER, self.dice.choice((*self.agents, "nobody", ""))),)

    def _take(self, found: Any) -> None:
        if isinstance(found, list):
            for one in found:
                self._take(one)
        if not isinstance(found, dict):
            return
        if found.get("nextPageToken"):
            self.cursors = [*self.cursors, found["nextPageToken"]][-20:]
        if "toAgentId" in found:
            self.mail = [*self.mail, found["id"]][-50:]
        if "workflowId" in found and found["id"] not in self.agents:
            self.agents = [*self.agents, found["id"]][:30]
        for one in found.values():
            self._take(one)


def founding() -> list[Request]:
    """The requests that people the post room."""
    bodies = [f'{{"name":"{name}","workflow":"main"}}' for name in AGENTS]
    return [
        Request(f"founding:{number}", "POST", "/v1/agents", (_JSON,), body.encode())
        for number, body in enumerate(bodies)
    ]


@contextlib.asynccontextmanager
async def rooms(program: Path) -> AsyncIterator[Pair]:
    """Two rooms with the same clock, ids and keys, one behind each gateway."""
    with tempfile.TemporaryDirectory(prefix="postroom-oracle-") as folder:
        there, here = (_open(Path(folder) / name) for name in ("there", "here"))
        behind, beside = Watched(there.door), Watched(here.door)
        wire, port = Wire(behind), free_port()
        grpc_port = wire.bind(f"127.0.0.1:{free_port()}")
        await wire.start()
        gateway = Gateway(beside)
        tools = Endpoint(Pages(gateway, _pages(here)), beside, here.contract)
        app = _app(here, tools, Rules(hosts=frozenset({f"127.0.0.1:{port}"})))
        try:
            async with real_gateway(program, grpc_port) as real, web(app, port):
                host = f"127.0.0.1:{port}"
                yield Pair(Side(real, behind, host), Side(port, beside, host))
        finally:
            await wire.stop(0)
            for each in (there, here):
                await asyncio.to_thread(each.office.store.close)


def answers_at_once(spec: Spec) -> bool:
    """Whether a method neither streams nor waits."""
    return not (spec.streams_responses or inspect.iscoroutinefunction(find_operation(spec)))


def _open(folder: Path) -> PostRoom:
    folder.mkdir()
    wakeups = LocalWakeups(asyncio.get_running_loop())
    settings = Settings(data_dir=str(folder))
    room = assemble(settings, wakeups=wakeups, clock=ManualClock(), ids=CountingIds())
    counted = itertools.count(1)
    office = replace(
        room.office,
        cursors=Cursors(b"k" * 32),
        random_bytes=lambda size: next(counted).to_bytes(size, "little"),
    )
    return replace(
        room,
        office=office,
        door=ObservedDoor(
            Registry(office, room.contract, throttle=Throttle(lambda: 0.0)), room.door.metrics
        ),
    )
