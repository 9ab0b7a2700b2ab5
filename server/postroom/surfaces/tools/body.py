"""The body of a request to /mcp: read whole, and bounded before anybody parses it.

The MCP library parses on the event loop, where a body of very many values would stop all
other calls for seconds.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from postroom.errors import Code, Refusal, RequestTooLarge
from postroom.rpc import protojson

Receive = Callable[[], Awaitable[Any]]

# What may stand around the arguments of a call, whose own bound is their method's.
ENVELOPE_BYTES: Final = 64 * 1024
# Arguments of a body that is larger are read on another thread.
LARGE_BYTES: Final = 128 * 1024
# Where the scope of a request says that its body is large.
LARGE: Final = "postroom.large"


class Left(Exception):
    """The client went away before its request was whole."""


class TooLong(Exception):
    """The body has too many bytes; `is_whole` tells that none is still to be read."""

    def __init__(self, refusal: RequestTooLarge, *, is_whole: bool) -> None:
        super().__init__(refusal)
        self.refusal = refusal
        self.is_whole = is_whole


async def read(scope: Any, receive: Receive, most: int) -> bytes:
    """The whole body. Raises Left, TooLong, and Refusal for one that is not to be parsed."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and int(value[:20]) > most:
            raise TooLong(RequestTooLarge(int(value[:20]), most), is_whole=False)
    body, is_whole = bytearray(), False
    while not is_whole:
        message = await receive()
        if message["type"] != "http.request":
            raise Left
        body += message.get("body", b"")
        is_whole = not message.get("more_body", False)
        if len(body) > most:
            raise TooLong(RequestTooLarge(None, most), is_whole=is_whole)
    if protojson.has_too_much(body):
        raise Refusal(protojson.TOO_MUCH, Code.INVALID_ARGUMENT, "JSON_INVALID")
    return bytes(body)


def again(body: bytes, receive: Receive) -> Receive:
    """What to read a request from whose body was read already."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receiving() -> Any:
        return waiting.pop() if waiting else await receive()

    return receiving
