"""/mcp beside the JSON routes: MCP over streamable HTTP.

The MCP library takes longer to load than the whole server, so it is loaded when the
first request comes, on another thread.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any, Final, Protocol

from postroom.errors import Code
from postroom.rpc.contract import Contract
from postroom.rpc.door import Door, TurnedAway, nobody_hears
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
_NOT_ALLOWED, _NOT_IMPLEMENTED, _UNAVAILABLE = 405, 501, 503
_ABSENT: Final = "MCP is not installed here; install postroom with its extra: postroom[mcp]"
_ENDING: Final = "the server is stopping; call again when it is back"


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
        self._status, self._told = 0, ""
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
            await _refuse(send, _NOT_ALLOWED, "send MCP requests by POST")
            return
        self._asked.set()
        await self._ready.wait()
        await self._serve(scope, receive, send, id)

    async def run(self) -> None:
        """Serve until cancelled; then let the requests in progress end first."""
        try:
            await self._asked.wait()
            sessions = await asyncio.to_thread(self._load)
            if sessions is None:
                self._refuse_all(_NOT_IMPLEMENTED, _ABSENT)
            else:
                await self._hold(sessions)
        except asyncio.CancelledError:
            self._refuse_all(_UNAVAILABLE, _ENDING)
            raise

    async def _hold(self, sessions: _Sessions) -> None:
        async with sessions.run():
            self._sessions = sessions
            self._ready.set()
            try:
                await asyncio.Event().wait()
            finally:
                self._refuse_all(_UNAVAILABLE, _ENDING)
                await self._idle.wait()

    async def _serve(self, scope: Any, receive: Any, send: Any, id: str | None) -> None:
        if self._sessions is None:
            await _refuse(send, self._status, self._told)
            return
        self._open += 1
        self._idle.clear()
        try:
            if self._ids and id is None:
                is_opening, receive = await opens(receive)
                if is_opening:
                    id = self._ids.issue()
                    send = announced(send, id)
            await self._sessions.handle_request({**scope, SESSION: id or ""}, receive, send)
        finally:
            self._open -= 1
            if not self._open:
                self._idle.set()

    def _refuse_all(self, status: int, told: str) -> None:
        self._sessions = None
        self._status, self._told = status, told
        self._ready.set()

    def _load(self) -> _Sessions | None:
        try:
            module = import_module("postroom.surfaces.tools.sessions")
        except ImportError:
            log.warning("MCP cannot be loaded", exc_info=True)
            return None
        sessions: _Sessions = module.sessions(self._door, self._contract, self._turned_away)
        return sessions


async def _refuse(send: Any, status: int, told: str) -> None:
    code = Code.UNAVAILABLE if status == _UNAVAILABLE else Code.UNIMPLEMENTED
    content = json.dumps({"code": int(code), "message": told, "details": []}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
    ]
    if status == _NOT_ALLOWED:
        headers.append((b"allow", b"POST"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
