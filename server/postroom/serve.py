"""`postroom serve`: both listeners on one event loop, from start to drain."""

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import uvloop

from postroom import opening
from postroom.agent import OPERATOR
from postroom.assemble import PostRoom, assemble
from postroom.binding import (
    CannotListen,
    OnSocket,
    Place,
    bind_grpc,
    bind_http,
    bind_metrics,
    must_be_free,
)
from postroom.errors import Code, Refusal, stopping
from postroom.exposure import Exposed, Exposure, hosts_at, judge
from postroom.listen import Address, BadAddress
from postroom.observe.log import Log, hear
from postroom.ports import Session
from postroom.rpc import openapi, reference
from postroom.rpc.door import TRACE
from postroom.settings import BadSetting, Settings, load
from postroom.storage.migrate import SchemaTooNew
from postroom.storage.open import BadUrl
from postroom.storage.sqlite import BadFile
from postroom.surfaces.gateway import FORWARDED, Gateway, Guard, Rules
from postroom.surfaces.pages import Page, Pages
from postroom.surfaces.probes import Probes
from postroom.surfaces.scrape import Scrape, nothing_else
from postroom.surfaces.tools import Endpoint
from postroom.surfaces.web import Web
from postroom.surfaces.wire import Wire
from postroom.sweeping import sweep_for_ever
from postroom.tls import BadTls
from postroom.unix import NotPrivate
from postroom.wakeups import LocalWakeups

log = logging.getLogger(__name__)

# sysexits.h: a setting is wrong, the service cannot start.
EX_UNAVAILABLE, EX_CONFIG = 69, 78
# Under the 10 s that a stop may take (reliability.md, P44).
GRACE_SECONDS = 8
# After which no image that is being converted, or waits for it, is waited for.
CONVERSION_SECONDS = 6


def run(overrides: Mapping[str, str]) -> int:
    """Serve until SIGTERM or SIGINT; returns the exit status."""
    try:
        settings = load(overrides)
        # Files that are made from here on are this user's alone.
        os.umask(0o077)
        _logged(settings)
    except (BadSetting, BadAddress, BadTls, BadUrl, Exposed, NotPrivate) as error:
        return _fail(Code.INVALID_ARGUMENT, error, EX_CONFIG)
    except (SchemaTooNew, BadFile) as error:
        return _fail(Code.FAILED_PRECONDITION, error, EX_UNAVAILABLE)
    except Refusal as refusal:
        return _fail(refusal.code, refusal, EX_UNAVAILABLE)
    except (CannotListen, OSError) as error:
        return _fail(Code.UNAVAILABLE, error, EX_UNAVAILABLE)
    return 0


def _logged(settings: Settings) -> None:
    log = Log(level=settings.log_level, form=settings.log_format, calls=settings.log_calls)
    log.take_over()
    try:
        uvloop.run(_serve(settings, log))
    finally:
        log.close()


def _fail(code: Code, error: Exception, status: int) -> int:
    sys.stderr.write(f"{code.name.lower()}: {error}\n")
    return status


@dataclass
class _Listeners:
    wire: Wire
    web: Web
    tools: Endpoint
    grpc: Place
    http: Place
    # A listener that has /metrics alone, and where it is.
    scrape: Web | None = None
    metrics: Place | None = None

    @property
    def webs(self) -> list[Web]:
        """The listeners that speak HTTP."""
        return [self.web, self.scrape] if self.scrape else [self.web]


async def _serve(settings: Settings, log: Log) -> None:
    hear(asyncio.get_running_loop())
    exposure = judge(settings)
    must_be_free(exposure)
    stop = _stop_signal()
    wakeups = LocalWakeups(asyncio.get_running_loop())
    room = assemble(settings, wakeups=wakeups, trusted=exposure.is_trusted, log=log)
    try:
        await asyncio.to_thread(opening.keep_operator_token, room.office, settings, exposure)
        await _answer(room, settings, exposure, stop, wakeups)
    finally:
        await asyncio.to_thread(room.close)


def _background(
    room: PostRoom, wakeups: LocalWakeups, listeners: _Listeners
) -> list[Coroutine[Any, Any, None]]:
    store = room.office.store
    work = [
        listeners.tools.run(),
        sweep_for_ever(room.office),
        wakeups.look_for_ever(store),
        wakeups.prove_for_ever(store),
    ]
    if room.courier:
        wakeups.call_also(room.courier.wake, room.courier.is_awake)
        work.append(room.courier.run_for_ever())
    return work


def _watched(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Work that goes on in the background; what ends it, but a stop, is told at once."""

    def ended(task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error:
            log.error("work in the background ended: %s", task.get_name(), exc_info=error)

    task = asyncio.create_task(work, name=getattr(work, "__qualname__", None))
    task.add_done_callback(ended)
    return task


async def _answer(
    room: PostRoom,
    settings: Settings,
    exposure: Exposure,
    stop: asyncio.Event,
    wakeups: LocalWakeups,
) -> None:
    listeners = _listen(room, settings, exposure)
    await listeners.wire.start()
    serving = [asyncio.create_task(web.serve()) for web in listeners.webs]
    tasks = [_watched(each) for each in _background(room, wakeups, listeners)]
    _announce(listeners)
    # Beside the loop, since a directory of accounts may be slow to tell who is in it.
    await asyncio.to_thread(opening.say_who_may_call, settings, exposure)
    asked = asyncio.create_task(stop.wait())
    await asyncio.wait((*serving, asked), return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    # Who waits for mail would keep its call open, and with it the stop.
    wakeups.end_all(stopping())
    await _drain(room, listeners, serving)
    # The archive's commit that was begun is brought to its end.
    await asyncio.gather(*tasks, return_exceptions=True)


def _announce(listeners: _Listeners) -> None:
    sys.stdout.write(f"grpc {listeners.grpc}\nhttp {listeners.http}\n")
    if listeners.metrics:
        sys.stdout.write(f"metrics {listeners.metrics}\n")
    sys.stdout.flush()


def _listen(room: PostRoom, settings: Settings, exposure: Exposure) -> _Listeners:
    turned_away = room.door.turned_away
    wire = Wire(room.door, opening.wire_options(settings, exposure, turned_away))
    grpc = bind_grpc(wire, exposure)
    listener, http = bind_http(exposure)
    gateway = Gateway(
        room.door,
        strict_json=settings.strict_json,
        patience=settings.watch_patience,
        forwarded_headers=FORWARDED.union(TRACE if settings.traces else ()),
        turned_away=turned_away,
    )
    pages = Pages(gateway, _pages(room))
    tools = Endpoint(
        pages, room.door, room.contract, sessions=room.sessions, turned_away=turned_away
    )
    app = _app(room, tools, opening.rules(exposure, http), scraped=exposure.metrics_at_http)
    if exposure.tls:
        opening.reload_on_hangup(exposure.tls)
    web = Web(app, listener, GRACE_SECONDS, exposure.tls)
    listeners = _Listeners(wire, web, tools, grpc, http)
    if exposure.metrics:
        listeners.scrape, listeners.metrics = _scrape(room, exposure.metrics)
    return listeners


def _scrape(room: PostRoom, address: Address) -> tuple[Web, Address]:
    listener, place = bind_metrics(address)
    rules = Rules(hosts=hosts_at(place))
    app = Guard(Scrape(nothing_else, room.exposition), rules, room.door.turned_away)
    return Web(app, listener, GRACE_SECONDS), place


def _app(room: PostRoom, tools: Endpoint, rules: Rules, *, scraped: bool = False) -> Guard:
    async def ready() -> None:
        await room.office.store.perform(_look, writes=True, until=None)

    def troubles() -> dict[str, str]:
        return {"archive": "BEHIND"} if room.courier and room.courier.is_behind else {}

    app: Any = Probes(tools, ready, troubles)
    if scraped:
        app = Scrape(app, room.exposition)
    return Guard(app, rules, room.door.turned_away)


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


async def _drain(room: PostRoom, listeners: _Listeners, serving: list[asyncio.Task[None]]) -> None:
    log.info("stopping: finishing the calls in progress")
    if isinstance(listeners.http, OnSocket):
        # Now, while it is surely this server's: the next one may take the path at once.
        listeners.http.path.unlink(missing_ok=True)
    for web in listeners.webs:
        web.stop()
    hurry = asyncio.create_task(_end_conversions(room))
    await asyncio.gather(listeners.wire.stop(GRACE_SECONDS), *serving)
    hurry.cancel()


async def _end_conversions(room: PostRoom) -> None:
    """Refuse the calls whose image would take too long, while they can still be told."""
    await asyncio.sleep(CONVERSION_SECONDS)
    await room.attacher.close()
