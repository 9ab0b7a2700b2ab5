"""The few pieces of ASGI that the surface needs: headers, bodies, replies."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, NamedTuple

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Header = tuple[str, str]

JSON = "application/json"
_READ_HEADERS = "postroom.headers"


class TooLarge(Exception):
    """The body has more bytes than `limit`; `is_whole` tells that none is still to be read."""

    def __init__(self, limit: int, *, is_whole: bool = False) -> None:
        super().__init__(limit)
        self.limit = limit
        self.is_whole = is_whole


class Disconnected(Exception):
    """The client went away before its request was whole."""


class Reply(NamedTuple):
    """One whole answer."""

    status: int
    body: bytes
    content_type: str = JSON
    headers: tuple[Header, ...] = ()

    def with_headers(self, *headers: Header) -> "Reply":
        """Return the same answer with more headers."""
        return self._replace(headers=(*self.headers, *headers))


class Headers:
    """The headers of a request, by lower-case name."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        texts = [(k.decode("latin-1"), v.decode("latin-1")) for k, v in raw]
        self.pairs = [(name.lower(), value.strip(" \t")) for name, value in texts]
        # Of several lines of one name, the first stays.
        self._first = dict(reversed(self.pairs))
        self.raw = raw

    @classmethod
    def of(cls, scope: Scope) -> "Headers":
        """Return the headers of a request, which are read once for all who ask."""
        found: Headers | None = scope.get(_READ_HEADERS)
        if found is None or found.raw is not scope["headers"]:
            found = scope[_READ_HEADERS] = cls(scope["headers"])
        return found

    def all(self, name: str) -> list[str]:
        """Every line of a header."""
        if name not in self._first:
            return []
        return [value for key, value in self.pairs if key == name]

    def first(self, name: str) -> str:
        """The first line of a header, '' if there is none."""
        return self._first.get(name, "")


async def read_body(receive: Receive, headers: Headers, limit: int) -> bytes:
    """Read the whole body. Raises TooLarge as soon as it is known to be, and Disconnected."""
    told = headers.first("content-length")
    if told.isdecimal() and int(told[:20]) > limit:
        raise TooLarge(limit)
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise TooLarge(limit, is_whole=not message.get("more_body", False))
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


async def send_reply(send: Send, reply: Reply, *, with_body: bool = True) -> None:
    """Send a whole answer; to HEAD without its body."""
    headers = [(b"content-length", b"%d" % len(reply.body)), *_raw(reply.headers)]
    if reply.content_type:
        headers.insert(0, (b"content-type", reply.content_type.encode("latin-1")))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body if with_body else b""})


async def send_start(send: Send, status: int, headers: Iterable[Header]) -> None:
    """Send the status and the headers."""
    await send({"type": "http.response.start", "status": status, "headers": _raw(headers)})


def _raw(headers: Iterable[Header]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
