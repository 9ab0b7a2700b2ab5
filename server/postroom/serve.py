"""`postroom serve`: both listeners on one event loop, from start to drain."""

import asyncio
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version

import uvloop

from postroom.agent import OPERATOR
from postroom.assemble import PostRoom, assemble
from postroom.errors import Code, Refusal
from postroom.listen import Address, BadAddress, loopback
from postroom.ports import Session
from postroom.rpc import openapi, reference
from postroom.settings import BadSetting, Settings, load
from postroom.storage.migrate import SchemaTooNew
from postroom.storage.open import BadUrl
from postroom.storage.sqlite import BadFile
from postroom.surfaces.gateway import Gateway, Guard
from postroom.surfaces.pages import Page, Pages
from postroom.surfaces.probes import Probes
from postroom.surfaces.web import Web, bind
from postroom.surfaces.wire import Wire
from postroom.sweeping import sweep_for_ever
from postroom.wakeups import LocalWakeups

log = logging.getLogger(__name__)

# sysexits.h: a setting is wrong, the service cannot start.
EX_UNAVAILABLE, EX_CONFIG = 69, 78
# Under the 10 s that a stop may take (reliability.md, P44).
GRACE_SECONDS = 8


class CannotListen(Exception):
    """A port is taken; the text names the setting that moves it."""

    def __init__(self, address: Address, setting: str) -> None:
        super().__init__(
            f"cannot listen on {address}: the port is taken or not allowed; end the other "
            f"program, or choose another address with --{setting} or POSTROOM_{setting.upper()}"
        )


def run(overrides: Mapping[str, str]) -> int:
    """Serve until SIGTERM or SIGINT; returns the exit status."""
    try:
        settings = load(overrides)
        logging.basicConfig(
            stream=sys.stderr,
            level=settings.log_level.upper(),
            format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        )
        # Files that are made from here on are this user's alone.
        os.umask(0o077)
        uvloop.run(_serve(settings))
    except (BadSetting, BadAddress, BadUrl) as error:
        return _fail(Code.INVALID_ARGUMENT, error, EX_CONFIG)
    except (SchemaTooNew, BadFile) as error:
        return _fail(Code.FAILED_PRECONDITION, error, EX_UNAVAILABLE)
    except Refusal as refusal:
        return _fail(refusal.code, refusal, EX_UNAVAILABLE)
    except (CannotListen, OSError) as error:
        return _fail(Code.UNAVAILABLE, error, EX_UNAVAILABLE)
    return 0


def _fail(code: Code, error: Exception, status: int) -> int:
    sys.stderr.write(f"{code.name.lower()}: {error}\n")
    return status


@dataclass
class _Listeners:
    wire: Wire
    web: Web
    grpc: Address
    http: Address


async def _serve(settings: Settings) -> None:
    addresses = (loopback(settings.grpc, "--grpc"), loopback(settings.http, "--http"))
    for address, setting in zip(addresses, ("grpc", "http"), strict=True):
        _must_be_free(address, setting)
    stop = _stop_signal()
    room = assemble(settings, wakeups=LocalWakeups(asyncio.get_running_loop()))
    try:
        await _answer(room, settings, addresses, stop)
    finally:
        await asyncio.to_thread(room.office.store.close)


def _must_be_free(address: Address, setting: str) -> None:
    """Look before the database is opened: a server that cannot serve must not migrate it."""
    try:
        bind(address.host, address.port).close()
    except OSError:
        raise CannotListen(address, setting) from None


async def _answer(
    room: PostRoom, settings: Settings, addresses: tuple[Address, Address], stop: asyncio.Event
) -> None:
    listeners = _listen(room, settings, *addresses)
    await listeners.wire.start()
    serving = asyncio.create_task(listeners.web.serve())
    sweeping = asyncio.create_task(sweep_for_ever(room.office))
    _announce(listeners)
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    sweeping.cancel()
    await _drain(listeners, serving)


def _announce(listeners: _Listeners) -> None:
    sys.stdout.write(f"grpc {listeners.grpc}\nhttp {listeners.http}\n")
    sys.stdout.flush()
    log.info(
        "whoever reaches these loopback ports may call as any agent, or as the operator by "
        "naming none"
    )


def _listen(room: PostRoom, settings: Settings, grpc: Address, http: Address) -> _Listeners:
    wire = Wire(room.registry, reflection=settings.reflection)
    # Tried first because gRPC's core writes lines of its own when it fails to bind.
    _taken(grpc, "grpc").close()
    grpc = Address(grpc.host, wire.bind(str(grpc)))
    listener = _taken(http, "http")
    http = Address(http.host, listener.getsockname()[1])
    return _Listeners(wire, Web(_app(room, settings, http), listener, GRACE_SECONDS), grpc, http)


def _taken(address: Address, setting: str) -> socket.socket:
    try:
        return bind(address.host, address.port)
    except OSError:
        raise CannotListen(address, setting) from None


def _app(room: PostRoom, settings: Settings, http: Address) -> Guard:
    async def ready() -> None:
        await room.office.store.perform(_look, writes=True, until=None)

    gateway = Gateway(room.registry, strict_json=settings.strict_json)
    return Guard(Probes(Pages(gateway, _pages(room)), ready), hosts=_hosts(http))


def _pages(room: PostRoom) -> dict[str, Page]:
    described = openapi.document(room.contract, version("postroom"))
    html = reference.page(room.contract).encode()
    return {
        "/openapi.json": Page(json.dumps(described).encode(), "application/json"),
        "/reference": Page(html, "text/html; charset=utf-8", reference.policy()),
    }


def _look(session: Session) -> None:
    """A write of nothing: it needs a lock, the schema, and a database that takes writes."""
    if operator := session.agent(OPERATOR):
        session.lock(operator)


def _hosts(http: Address) -> frozenset[str]:
    own = {str(http), f"127.0.0.1:{http.port}", f"localhost:{http.port}", f"[::1]:{http.port}"}
    return frozenset(own)


def _stop_signal() -> asyncio.Event:
    """An event that the first SIGTERM or SIGINT sets; the second ends the process."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def ask(number: int) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ask, number)
    return stop


async def _drain(listeners: _Listeners, serving: asyncio.Task[None]) -> None:
    log.info("stopping: finishing the calls in progress")
    listeners.web.stop()
    await asyncio.gather(listeners.wire.stop(GRACE_SECONDS), serving)
