"""The server under test: put together as `postroom serve` does, with empty handlers beside.

The empty gRPC methods stand on a server object of their own, in the same process
and loop and with the same options, so that nothing of ours runs around them.
"""

import asyncio
import json
import signal
import sys
from collections.abc import Coroutine
from typing import Any

import grpc
import uvloop

from bench.empty import EmptyMethods, EmptyRoutes
from bench.given import settings
from bench.spread import Cast, Spread
from postroom.assemble import PostRoom, assemble
from postroom.observe.log import Log
from postroom.settings import Settings
from postroom.surfaces import wire
from postroom.surfaces.probes import Probes
from postroom.surfaces.web import Web, bind
from postroom.sweeping import sweep_for_ever
from postroom.wakeups import LocalWakeups

try:
    from postroom.surfaces.gateway import Gateway, Guard, Rules
except ImportError:
    HAS_JSON = False
else:
    HAS_JSON = True

_HOST = "127.0.0.1"
_GRACE_SECONDS = 2


def main() -> None:
    """Read the settings as JSON from the command line and serve until SIGTERM."""
    uvloop.run(_serve(json.loads(sys.argv[1])))


async def _serve(given: dict[str, Any]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    wakeups = LocalWakeups(loop)
    found = settings(given["database"], given["archive"])
    room = assemble(found, wakeups=wakeups, log=_log())
    tasks = [asyncio.create_task(work) for work in _background(room, wakeups)]
    try:
        await _answer(room, given, stop)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        await asyncio.to_thread(room.office.store.close)


def _background(room: PostRoom, wakeups: LocalWakeups) -> list[Coroutine[Any, Any, None]]:
    work = [sweep_for_ever(room.office)]
    if room.courier:
        wakeups.call_also(room.courier.wake, room.courier.is_awake)
        work.append(room.courier.run_for_ever())
    return work


def _log() -> Log:
    """As a server has it that nobody has set up otherwise."""
    made = Settings()
    log = Log(level=made.log_level, form=made.log_format, calls=made.log_calls)
    log.take_over()
    return log


async def _answer(room: PostRoom, given: dict[str, Any], stop: asyncio.Event) -> None:
    casts = {method: Cast(*cast) for method, cast in given["casts"].items()}
    door = Spread(room.door, casts)
    listener, empty = wire.Wire(door), _empty_server(given["empty"])
    listener.bind(f"{_HOST}:{given['grpc']}")
    await listener.start()
    await empty.start()
    web = Web(EmptyRoutes(_app(door, given["http"])), bind(_HOST, given["http"]), _GRACE_SECONDS)
    serving = asyncio.create_task(web.serve())
    print(json.dumps({"json": HAS_JSON}), flush=True)
    await stop.wait()
    web.stop()
    await asyncio.gather(listener.stop(_GRACE_SECONDS), empty.stop(_GRACE_SECONDS), serving)


def _empty_server(port: int) -> Any:
    server = grpc.aio.server(options=wire._OPTIONS)  # noqa: SLF001 - the very same options
    server.add_generic_rpc_handlers((EmptyMethods(),))
    server.add_insecure_port(f"{_HOST}:{port}")
    return server


def _app(door: Spread, port: int) -> Any:
    if not HAS_JSON:
        return _nothing

    async def ready() -> None:
        """The probes are not measured."""

    gateway = Gateway(door, strict_json=False)
    return Guard(Probes(gateway, ready), Rules(hosts=frozenset({f"{_HOST}:{port}"})))


async def _nothing(scope: Any, receive: Any, send: Any) -> None:
    del scope, receive
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b""})


if __name__ == "__main__":
    main()
