"""Streams of messages as lines of JSON."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from google.protobuf.message import Message

from postroom.errors import Refusal
from postroom.rpc.door import Outgoing, end_stream
from postroom.surfaces.gateway.asgi import JSON, Header, Send, send_start
from postroom.surfaces.gateway.asgi import Message as Event
from postroom.surfaces.gateway.deadline import within
from postroom.surfaces.gateway.failure import HTTP_OK, failure_of
from postroom.surfaces.gateway.presenter import LinePresenter
from postroom.watching import lagged


class Listener:
    """The one that lines are sent to: how long it may take to read, and how it is cut off."""

    def __init__(self, send: Send, patience: float, cut: Callable[[], None]) -> None:
        self._send = send
        self._patience = patience
        self._cut = cut

    async def put(self, event: Event, *, is_last: bool = False) -> None:
        """Send as soon as there is room. Raises Refusal (WATCH_LAGGED) when there is none."""
        try:
            async with asyncio.timeout(self._patience):
                await self._send(event)
        except TimeoutError:
            # From here on everything is written, for the little that is still to come.
            self._cut()
            if not is_last:
                raise lagged(self._patience) from None
            await self._send(event)


class Lines:
    """Sends lines; the status and the headers go out before the first."""

    def __init__(
        self,
        listener: Listener,
        presenter: LinePresenter,
        outgoing: Outgoing,
        ignored: Sequence[str],
    ) -> None:
        self._listener = listener
        self._presenter = presenter
        self._outgoing = outgoing
        self._ignored = ignored
        self._has_started = False

    async def send_all(self, messages: AsyncIterator[Message], time_left: float | None) -> None:
        """Send each message when it is there; a failure becomes the last line."""
        try:
            async with within(time_left):
                async for message in messages:
                    await self._message(message, messages)
        except Exception as error:
            # Whatever it is, the last line tells it.
            failed = failure_of(error)
            line = self._presenter.error_line(failed)
            await self._line(failed.http, line, JSON, *failed.headers, is_last=True)
        finally:
            await _close(messages)
        await self._start(HTTP_OK)
        await self._listener.put(_body(b"", more=False), is_last=True)

    async def _message(self, message: Message, messages: AsyncIterator[Message]) -> None:
        line, content_type = self._presenter.line(message), self._presenter.line_type(message)
        try:
            await self._line(HTTP_OK, line, content_type)
        except Refusal as refusal:
            await end_stream(messages, refusal)

    async def _line(
        self, status: int, line: bytes, content_type: str, *more: Header, is_last: bool = False
    ) -> None:
        await self._start(status, ("content-type", content_type), *more)
        await self._listener.put(_body(line, more=True), is_last=is_last)

    async def _start(self, status: int, *headers: Header) -> None:
        if not self._has_started:
            self._has_started = True
            beside = self._presenter.headers(self._outgoing, self._ignored)
            await send_start(self._listener.put, status, (*headers, *beside))


def _body(content: bytes, *, more: bool) -> Event:
    return {"type": "http.response.body", "body": content, "more_body": more}


async def _close(messages: AsyncIterator[Message]) -> None:
    close = getattr(messages, "aclose", None)
    if close is not None:
        await close()
