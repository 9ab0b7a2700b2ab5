"""The ASGI application: a request in, a call to the door, a response out."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message

from postroom.errors import Code
from postroom.rpc.door import Door, Outgoing
from postroom.rpc.protojson import Printer, Reader
from postroom.surfaces.gateway.asgi import (
    JSON,
    Disconnected,
    Receive,
    Reply,
    Scope,
    Send,
    TooLarge,
    send_reply,
    send_start,
)
from postroom.surfaces.gateway.calls import Call, Limits, decode, receive_request, routes
from postroom.surfaces.gateway.deadline import within
from postroom.surfaces.gateway.failure import HTTP_OK, failure, failure_of
from postroom.surfaces.gateway.hangup import CancelOnHangup
from postroom.surfaces.gateway.presenter import GatewayPresenter

MAX_BODY: Final = 4 * 1024 * 1024
FORWARDED: Final = frozenset({"postroom-agent-id", "idempotency-key"})
_CONTENT_TOO_LARGE: Final = 413


class Gateway:
    """Serves every method of a door as JSON over HTTP, as grpc-gateway does."""

    def __init__(
        self,
        door: Door,
        *,
        pool: DescriptorPool | None = None,
        strict_json: bool = False,
        max_body: int = MAX_BODY,
        forwarded_headers: frozenset[str] = FORWARDED,
    ) -> None:
        """Read the routes. Raises ValueError for an http rule that cannot work.

        The pool resolves the types of Any. Bodies may have max_body bytes. The named
        headers reach the door as metadata of the same name.
        """
        self._door = door
        self._printer = Printer(pool)
        self._reader = Reader(pool)
        self._limits = Limits(strict_json, max_body, forwarded_headers)
        self._router = routes(door.specs)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)
        else:
            raise ValueError(f"{scope['type']} is not served; connect by HTTP")

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        presenter = GatewayPresenter(self._printer)
        outgoing = Outgoing()
        reply: Reply | None = None
        try:
            received = await receive_request(self._router, scope, receive, self._limits.max_body)
            peer = (scope.get("client") or ("",))[0]
            call = decode(received, peer, self._reader, self._limits)
            presenter = GatewayPresenter(self._printer, received.match.route)
            async with CancelOnHangup(receive):
                if call.spec.streams_responses:
                    await self._stream(call, presenter, send)
                else:
                    answer = await self._call(call, outgoing)
                    reply = presenter.success(answer, outgoing, call.ignored)
        except Disconnected:
            return
        except TooLarge:
            reply = self._too_large(presenter)
        except Exception as error:
            reply = presenter.failure(failure_of(error), outgoing)
        if reply is not None:
            await send_reply(send, reply, with_body=scope["method"] != "HEAD")

    async def _call(self, call: Call, outgoing: Outgoing) -> Message:
        async with within(call.incoming.time_left):
            return await self._door.call(call.spec, call.message, call.incoming, outgoing)

    async def _stream(self, call: Call, presenter: GatewayPresenter, send: Send) -> None:
        outgoing = Outgoing()
        stream = _Lines(send, presenter, outgoing, call.ignored)
        messages = self._door.stream(call.spec, call.message, call.incoming, outgoing)
        try:
            async with within(call.incoming.time_left):
                async for message in messages:
                    await stream.send(HTTP_OK, presenter.line(message))
        except Exception as error:
            failed = failure_of(error)
            await stream.send(failed.http, presenter.error_line(failed))
        finally:
            await _close(messages)
        await stream.end()

    def _too_large(self, presenter: GatewayPresenter) -> Reply:
        text = f"the body has more than {self._limits.max_body:,} bytes; send less at once"
        failed = failure(Code.RESOURCE_EXHAUSTED, text, _CONTENT_TOO_LARGE)
        reply = presenter.failure(failed, Outgoing())
        # The rest of the body was not read, so nothing can follow on this connection.
        return Reply(reply.status, reply.body, JSON, (*reply.headers, ("connection", "close")))


class _Lines:
    """Sends lines; the status and the headers go out before the first."""

    def __init__(
        self, send: Send, presenter: GatewayPresenter, outgoing: Outgoing, ignored: Sequence[str]
    ) -> None:
        self._send = send
        self._presenter = presenter
        self._outgoing = outgoing
        self._ignored = ignored
        self._has_started = False

    async def send(self, status: int, line: bytes) -> None:
        await self._start(status, ("content-type", JSON))
        await self._send({"type": "http.response.body", "body": line, "more_body": True})

    async def end(self) -> None:
        await self._start(HTTP_OK)
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _start(self, status: int, *headers: tuple[str, str]) -> None:
        if not self._has_started:
            self._has_started = True
            beside = self._presenter.headers(self._outgoing, self._ignored)
            await send_start(self._send, status, (*headers, *beside))


async def _close(messages: AsyncIterator[Message]) -> None:
    close = getattr(messages, "aclose", None)
    if close is not None:
        await close()


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
