"""Answering a request before its body has arrived."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

# Twice what the largest request may have: whoever sends more is cut off.
MOST_BYTES: Final = 64 * 1024 * 1024
# So is whoever sends nothing for so long: it reads by now, or never will.
IDLE_SECONDS: Final = 2.0


def lingering(
    scope: Any,
    receive: Receive,
    send: Send,
    *,
    most: int = MOST_BYTES,
    idle: float = IDLE_SECONDS,
) -> Send:
    """A way to send an answer, after which the rest of the body is taken and dropped.

    A client that reads only once it has sent everything would find the connection broken
    otherwise. One that asks first (Expect: 100-continue) sends nothing more and is not waited for.
    """
    if any(name == b"expect" for name, _ in scope["headers"]):
        return send

    async def sending(message: Any) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            await send({**message, "more_body": True})
            await _drop(receive, most, idle)
            message = {"type": "http.response.body", "body": b""}
        await send(message)

    return sending


async def _drop(receive: Receive, most: int, idle: float) -> None:
    while most > 0:
        try:
            message = await asyncio.wait_for(receive(), idle)
        except TimeoutError:
            return
        if message["type"] != "http.request" or not message.get("more_body", False):
            return
        most -= len(message.get("body", b""))
