"""Requests as bytes on a socket, so that odd ones arrive as they were written."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

HEAD_LIMIT = 1 << 20
SECONDS = 20
# Stands for the status of a server that closes the connection without a word.
HUNG_UP = 0
_CONTINUE = 100
_WITHOUT_BODY = (204, 304)


@dataclass(frozen=True)
class Request:
    """What is sent. Paths and headers are Latin-1 text, one character for each byte."""

    name: str
    method: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    # What a scripted backend answers with; None leaves it to the backend.
    backend: Mapping[str, Any] | None = None

    def header(self, name: str) -> str:
        """The first value of a header, '' when there is none."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    def wire(self, host: str) -> bytes:
        """The bytes of the request."""
        lines = [f"{self.method} {self.path} HTTP/1.1"]
        if not self.header("host"):
            lines.append(f"Host: {host}")
        lines += [f"{name}: {value}" for name, value in self.headers]
        if self.body or self.method in ("POST", "PUT", "PATCH"):
            lines.append(f"Content-Length: {len(self.body)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + self.body


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    trailers: list[tuple[str, str]] = field(default_factory=list)

    def header(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for key, value in self.headers if key == name]


async def ask(port: int, request: Request, host: str = "") -> Answer:
    """Send one request on a connection of its own. Raises OSError and TimeoutError."""
    async with asyncio.timeout(SECONDS):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=HEAD_LIMIT)
        try:
            writer.write(request.wire(host or f"127.0.0.1:{port}"))
            return await _answer(reader, request.method)
        finally:
            writer.close()


async def _answer(reader: asyncio.StreamReader, method: str) -> Answer:
    status = _CONTINUE
    while status == _CONTINUE:
        status_line = (await reader.readuntil(b"\r\n")).decode("latin-1")
        status, headers = int(status_line.split(" ")[1]), await _headers(reader)
    answer = Answer(status, headers)
    if method == "HEAD" or answer.status in _WITHOUT_BODY:
        return answer
    length = answer.header("content-length")
    if answer.header("transfer-encoding") == ["chunked"]:
        answer.body = await _chunks(reader)
        answer.trailers = await _headers(reader)
    elif length:
        answer.body = await reader.readexactly(int(length[0]))
    else:
        answer.body = await reader.read()
    return answer


async def _headers(reader: asyncio.StreamReader) -> list[tuple[str, str]]:
    found = []
    while (line := await reader.readuntil(b"\r\n")) != b"\r\n":
        name, _, value = line.decode("latin-1").partition(":")
        found.append((name.lower(), value.strip()))
    return found


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts = []
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        parts.append(await reader.readexactly(size))
        await reader.readuntil(b"\r\n")
    return b"".join(parts)
