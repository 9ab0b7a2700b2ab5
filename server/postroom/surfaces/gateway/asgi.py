"""The few pieces of ASGI that the surface needs: headers, bodies, replies."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, replace
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Header = tuple[str, str]

JSON = "application/json"


class TooLarge(Exception):
    """The body has more bytes than are allowed; the rest of it was not read."""


class Disconnected(Exception):
    """The client went away before its request was whole."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer."""

    status: int
    body: bytes
    content_type: str = JSON
    headers: tuple[Header, ...] = ()

    def with_headers(self, *headers: Header) -> "Reply":
        """Return the same answer with more headers."""
        return replace(self, headers=(*self.headers, *headers))


class Headers:
    """The headers of a request, by lower-case name."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self.pairs = [(k.decode("latin-1").lower(), v.decode("latin-1")) for k, v in raw]

    def all(self, name: str) -> list[str]:
        """Every line of a header."""
        return [value for key, value in self.pairs if key == name]

    def first(self, name: str) -> str:
        """The first line of a header, '' if there is none."""
        return next(iter(self.all(name)), "")


async def read_body(receive: Receive, headers: Headers, limit: int) -> bytes:
    """Read the whole body. Raises TooLarge as soon as it is known to be, and Disconnected."""
    told = headers.first("content-length")
    if told.isdecimal() and int(told[:20]) > limit:
        raise TooLarge
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise TooLarge
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


async def send_reply(send: Send, reply: Reply, *, with_body: bool = True) -> None:
    """Send a whole answer; to HEAD without its body."""
    headers = [("content-length", str(len(reply.body))), *reply.headers]
    if reply.content_type:
        headers.insert(0, ("content-type", reply.content_type))
    await send_start(send, reply.status, headers)
    await send({"type": "http.response.body", "body": reply.body if with_body else b""})


async def send_start(send: Send, status: int, headers: Iterable[Header]) -> None:
    """Send the status and the headers."""
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": raw})
