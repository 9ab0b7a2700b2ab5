"""Pairs of gateways in front of the same backend: the real one, and ours."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pool import DescriptorPool

from postroom.rpc.door import Door, Outgoing
from postroom.surfaces.gateway import Gateway
from postroom.surfaces.web import Web, bind
from tests.interop.gateway.compare import Seen
from tests.interop.gateway.doors import Backend, Watched
from tests.interop.gateway.exchange import HUNG_UP, Answer, Request, ask
from tests.interop.ports import free_port

# The name under which scripted gateways are asked, so that both pass on the same.
HOST = "gateway.example"
_GRACE_SECONDS = 1
_SETTLING_SECONDS = 5


@dataclass
class Side:
    """One gateway and the door behind it."""

    port: int
    # None behind a real server, whose door cannot be watched.
    door: Watched | None
    host: str = HOST

    async def ask(self, request: Request) -> Seen:
        """Send a request; tell its answer and the calls that it led to."""
        asked = self.door.asked if self.door else []
        asked.clear()
        try:
            answer = await ask(self.port, request, self.host)
        except (OSError, EOFError):
            answer = Answer(HUNG_UP)
        return Seen(answer, list(asked))

    async def catch_up(self, other: Seen, own: Seen) -> None:
        """Make the calls that reached the other backend alone, so that both stay alike."""
        if self.door and not own.asked:
            for asked in other.asked:
                with contextlib.suppress(Exception):
                    await self.door.door.call(asked.spec, asked.request, asked.incoming, Outgoing())


@dataclass
class Pair:
    """The same backend behind the real gateway and behind ours."""

    theirs: Side
    ours: Side
    prepare: Callable[[Request], None] = field(default=lambda _: None)

    async def ask(self, request: Request) -> tuple[Seen, Seen]:
        """The answer there and the answer here."""
        self.prepare(request)
        theirs, ours = await self.theirs.ask(request), await self.ours.ask(request)
        await self.ours.catch_up(theirs, ours)
        await self.theirs.catch_up(ours, theirs)
        return theirs, ours


@contextlib.asynccontextmanager
async def real_gateway(program: Path, backend: int) -> AsyncIterator[int]:
    """Run the real gateway; gives its port."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        program,
        *("-listen", f"127.0.0.1:{port}", "-backend", f"127.0.0.1:{backend}"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout
        assert await asyncio.wait_for(process.stdout.readline(), _SETTLING_SECONDS)
        yield port
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


@contextlib.asynccontextmanager
async def web(app: Any, port: int) -> AsyncIterator[None]:
    """Serve an application on a port."""
    server = Web(app, bind("127.0.0.1", port), _GRACE_SECONDS)
    serving = asyncio.create_task(server.serve())
    try:
        yield
    finally:
        server.stop(now=True)
        await serving


@contextlib.asynccontextmanager
async def scripted(
    program: Path, door: Callable[[], Door], pool: DescriptorPool | None = None
) -> AsyncIterator[Pair]:
    """Doors of the tests' own behind both gateways."""
    behind, beside = Watched(door()), Watched(door())
    backend = Backend(behind)
    grpc_port, port = free_port(), free_port()
    await backend.start(grpc_port)
    try:
        async with (
            real_gateway(program, grpc_port) as real,
            web(Gateway(beside, pool=pool), port),
        ):
            yield Pair(Side(real, behind), Side(port, beside))
    finally:
        await backend.stop()
