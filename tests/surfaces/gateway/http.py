"""Asks an ASGI application without a socket, as a server would."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from postroom.surfaces.gateway.asgi import Application, Message, Scope

HOST = "127.0.0.1:8787"


@dataclass
class Answer:
    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    chunks: list[bytes] = field(default_factory=list)
    is_whole: bool = False

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        """Every line as JSON; the last must have its end, too."""
        assert not self.body or self.body.endswith(b"\n")
        return [json.loads(line) for line in self.body.split(b"\n")[:-1]]

    def header(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name.lower()]


def scope_of(
    method: str,
    path: str,
    headers: Sequence[tuple[str, str]] = (),
    *,
    host: str | None = HOST,
    client: str | None = "127.0.0.1",
) -> Scope:
    """Make the scope of a request."""
    raw, _, query = path.partition("?")
    given = ([("Host", host)] if host is not None else []) + list(headers)
    return {
        "type": "http",
        "scheme": "http",
        "method": method,
        "path": unquote(raw),
        "raw_path": raw.encode(),
        "query_string": query.encode(),
        "headers": [(k.lower().encode(), v.encode("latin-1")) for k, v in given],
        "client": (client, 40000) if client else None,
        "server": ("127.0.0.1", 8787) if client else None,
    }


async def exchange(
    app: Application, scope: Scope, chunks: Sequence[bytes], *, hangs_up: bool = False
) -> Answer:
    """Serve one request; the client hangs up after its body, or never."""
    answer = Answer()
    waiting = list(chunks) or [b""]

    async def receive() -> Message:
        if waiting:
            part = waiting.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(waiting)}
        if not hangs_up:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            assert not answer.status, "the response started twice"
            answer.status = message["status"]
            answer.headers = [
                (k.decode("latin-1"), v.decode("latin-1")) for k, v in message["headers"]
            ]
            return
        assert answer.status, "the body came before the status"
        assert not answer.is_whole, "the body went on after its end"
        answer.chunks.append(message.get("body", b""))
        answer.is_whole = not message.get("more_body", False)

    await app(scope, receive, send)
    return answer


def ask(
    app: Application,
    method: str,
    path: str,
    headers: Sequence[tuple[str, str]] = (),
    body: bytes | str = b"",
    *,
    host: str | None = HOST,
    client: str | None = "127.0.0.1",
) -> Answer:
    """Send one request and return the whole answer. Bodies come with their length."""
    data = body.encode() if isinstance(body, str) else body
    length = [("Content-Length", str(len(data)))] if data else []
    scope = scope_of(method, path, [*headers, *length], host=host, client=client)
    return asyncio.run(exchange(app, scope, [data]))
