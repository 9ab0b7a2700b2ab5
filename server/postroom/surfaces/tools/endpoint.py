"""/mcp beside the JSON routes: MCP over streamable HTTP.

The MCP library takes longer to load than the whole server, so it is loaded when the
first request comes, on another thread.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any, Final, Protocol

from postroom.errors import Code, Refusal, stopping
from postroom.rpc.contract import MAX_REQUEST_BYTES, Contract
from postroom.rpc.door import Door, TurnedAway, nobody_hears
from postroom.rpc.protojson import encode
from postroom.rpc.status import refusal_of, status
from postroom.surfaces.lingering import lingering
from postroom.surfaces.tools import body
from postroom.surfaces.tools.opening import (
    SESSION,
    SessionIds,
    announced,
    confirm_end,
    named,
    opens,
    refuse_unknown,
)

log = logging.getLogger(__name__)

App = Callable[[Any, Any, Any], Awaitable[None]]

PATH: Final = "/mcp"
_HTTP: Final = {Code.UNIMPLEMENTED: 501, Code.UNAVAILABLE: 503, Code.INVALID_ARGUMENT: 400}
_NOT_ALLOWED, _TOO_LARGE, _INTERNAL = 405, 413, 500
_ABSENT: Final = "MCP is not installed here; install postroom with its extra: postroom[mcp]"


class _Sessions(Protocol):
    """What is used of the library's session manager."""

    def run(self) -> AbstractAsyncContextManager[None]: ...
    async def handle_request(self, scope: Any, receive: Any, send: Any) -> None: ...


class Endpoint:
    """Answers at /mcp and hands everything else on.

    Each request stands alone, in both eras of the protocol: whose it is, its own headers
    say. A session, which the older era opens with `initialize`, only ties together the
    agents that have called in it; without `sessions` there are none.
    """

    def __init__(
        self,
        app: App,
        door: Door,
        contract: Contract,
        *,
        sessions: SessionIds | None = None,
        path: str = PATH,
        turned_away: TurnedAway = nobody_hears,
    ) -> None:
        """`turned_away` hears of requests that became no call."""
        self._app = app
        self._ids = sessions
        self._turned_away = turned_away
        self._door, self._contract = door, contract
        self._path = path
        self._asked, self._ready, self._idle = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._idle.set()
        self._sessions: _Sessions | None = None
        # Why nobody is served, once that is so.
        self._refusal: Refusal = stopping()
        self._most = body.ENVELOPE_BYTES + max(
            (spec.max_request_bytes for spec in door.specs), default=MAX_REQUEST_BYTES
        )
        self._open = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """The ASGI entry."""
        if scope["type"] != "http" or scope["path"] != self._path:
            await self._app(scope, receive, send)
            return
        id = named(scope) if self._ids else None
        if self._ids and id is not None:
            if not self._ids.is_issued(id):
                await refuse_unknown(send)
                return
            if scope["method"] == "DELETE":
                self._ids.end(id)
                await confirm_end(send)
                return
        if scope["method"] != "POST":
            # Nothing is ever sent unasked, so there is no stream to open.
            refusal = Refusal("send MCP requests by POST", Code.UNIMPLEMENTED, "NOT_BY_POST")
            await _refuse(send, refusal, _NOT_ALLOWED, (b"allow", b"POST"))
            return
        self._asked.set()
        await self._ready.wait()
        await self._serve(scope, receive, send, id)

    async def run(self) -> None:
        """Serve until cancelled; then let the requests in progress end first."""
        try:
            await self._asked.wait()
            try:
                sessions = await asyncio.to_thread(self._load)
            except Exception as error:
                self._refuse_all(_not_loaded(error))
            else:
                await self._hold(sessions)
        except asyncio.CancelledError:
            self._refuse_all(stopping())
            raise

    async def _hold(self, sessions: _Sessions) -> None:
        async with sessions.run():
            self._sessions = sessions
            self._ready.set()
            try:
                await asyncio.Event().wait()
            finally:
                self._refuse_all(stopping())
                await self._idle.wait()

    async def _serve(self, scope: Any, receive: Any, send: Any, id: str | None) -> None:
        if self._sessions is None:
            await _refuse(send, self._refusal)
            return
        self._open += 1
        self._idle.clear()
        try:
            await self._pass_on(self._sessions, scope, receive, send, id)
        finally:
            self._open -= 1
            if not self._open:
                self._idle.set()

    async def _pass_on(
        self, sessions: _Sessions, scope: Any, receive: Any, send: Any, id: str | None
    ) -> None:
        try:
            content = await body.read(scope, receive, self._most)
        except body.Left:
            return
        except body.TooLong as error:
            self._turn_away(error.refusal, scope)
            sending = send if error.is_whole else lingering(scope, receive, send)
            await _refuse(sending, error.refusal, _TOO_LARGE, (b"connection", b"close"))
            return
        except Refusal as refusal:
            self._turn_away(refusal, scope)
            await _refuse(send, refusal)
            return
        if self._ids and id is None and opens(content):
            id = self._ids.issue()
            send = announced(send, id)
        known = {SESSION: id or "", body.LARGE: len(content) > body.LARGE_BYTES}
        await sessions.handle_request({**scope, **known}, body.again(content, receive), send)

    def _turn_away(self, refusal: Refusal, scope: Any) -> None:
        client = scope.get("client")
        self._turned_away("mcp", refusal.code, refusal.reason, str(client[0]) if client else "")

    def _refuse_all(self, refusal: Refusal) -> None:
        self._sessions = None
        self._refusal = refusal
        self._ready.set()

    def _load(self) -> _Sessions:
        module = import_module("postroom.surfaces.tools.sessions")
        sessions: _Sessions = module.sessions(
            self._door, self._contract, self._most, self._turned_away
        )
        return sessions


def _not_loaded(error: Exception) -> Refusal:
    if not isinstance(error, ImportError):
        return refusal_of(error)
    log.warning("MCP cannot be loaded", exc_info=error)
    return Refusal(_ABSENT, Code.UNIMPLEMENTED, "NO_MCP")


async def _refuse(
    send: Any, refusal: Refusal, http: int | None = None, *more: tuple[bytes, bytes]
) -> None:
    content = encode(status(refusal))
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
        *more,
    ]
    given = http or _HTTP.get(refusal.code, _INTERNAL)
    await send({"type": "http.response.start", "status": given, "headers": headers})
    await send({"type": "http.response.body", "body": content})
