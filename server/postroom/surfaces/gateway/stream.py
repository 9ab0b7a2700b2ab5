"""Streams of messages as lines of JSON."""

from collections.abc import AsyncIterator, Sequence

from google.protobuf.message import Message

from postroom.rpc.door import Outgoing
from postroom.surfaces.gateway.asgi import JSON, Send, send_start
from postroom.surfaces.gateway.deadline import within
from postroom.surfaces.gateway.failure import HTTP_OK, failure_of
from postroom.surfaces.gateway.presenter import LinePresenter


class Lines:
    """Sends lines; the status and the headers go out before the first."""

    def __init__(
        self, send: Send, presenter: LinePresenter, outgoing: Outgoing, ignored: Sequence[str]
    ) -> None:
        self._send = send
        self._presenter = presenter
        self._outgoing = outgoing
        self._ignored = ignored
        self._has_started = False

    async def send_all(self, messages: AsyncIterator[Message], time_left: float | None) -> None:
        """Send each message when it is there; a failure becomes the last line."""
        try:
            async with within(time_left):
                async for message in messages:
                    line = self._presenter.line(message)
                    await self._line(HTTP_OK, line, self._presenter.line_type(message))
        except Exception as error:
            # Whatever it is, the last line tells it.
            failed = failure_of(error)
            await self._line(failed.http, self._presenter.error_line(failed), JSON)
        finally:
            await _close(messages)
        await self._start(HTTP_OK)
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _line(self, status: int, line: bytes, content_type: str) -> None:
        await self._start(status, ("content-type", content_type))
        await self._send({"type": "http.response.body", "body": line, "more_body": True})

    async def _start(self, status: int, *headers: tuple[str, str]) -> None:
        if not self._has_started:
            self._has_started = True
            beside = self._presenter.headers(self._outgoing, self._ignored)
            await send_start(self._send, status, (*headers, *beside))


async def _close(messages: AsyncIterator[Message]) -> None:
    close = getattr(messages, "aclose", None)
    if close is not None:
        await close()
