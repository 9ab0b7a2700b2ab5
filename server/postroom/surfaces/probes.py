"""/healthz and /readyz beside the JSON routes."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from postroom.errors import Refusal

App = Callable[[Any, Any, Any], Awaitable[None]]
Ready = Callable[[], Awaitable[None]]
# What is in trouble without keeping calls from being served, by name.
Troubles = Callable[[], Mapping[str, str]]

_OK, _UNAVAILABLE = 200, 503


class Probes:
    """Answers the two probes and hands everything else on.

    `ready` raises Refusal while calls cannot be served.
    """

    def __init__(self, app: App, ready: Ready, troubles: Troubles = dict) -> None:
        self._app = app
        self._ready = ready
        self._troubles = troubles

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """The ASGI entry."""
        is_probe = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if is_probe and scope["path"] == "/healthz":
            await _answer(send, scope, _OK, {"status": "SERVING", **self._troubles()})
        elif is_probe and scope["path"] == "/readyz":
            await self._readiness(scope, send)
        else:
            await self._app(scope, receive, send)

    async def _readiness(self, scope: Any, send: Any) -> None:
        try:
            await self._ready()
        except Refusal as refusal:
            body = {"status": "NOT_SERVING", "reason": refusal.reason, "message": refusal.message}
            await _answer(send, scope, _UNAVAILABLE, body)
        else:
            await _answer(send, scope, _OK, {"status": "SERVING", **self._troubles()})


async def _answer(send: Any, scope: Any, status: int, body: dict[str, str]) -> None:
    content = json.dumps(body).encode() + b"\n"
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    shown = b"" if scope["method"] == "HEAD" else content
    await send({"type": "http.response.body", "body": shown})
