"""The ASGI application: a request in, a call to the door, a response out."""

from typing import Final

from google.protobuf.descriptor_pool import DescriptorPool

from postroom.errors import Code, RequestTooLarge
from postroom.rpc.door import Door, Outgoing, TurnedAway, nobody_hears
from postroom.rpc.protojson import Printer, Reader
from postroom.rpc.status import status
from postroom.surfaces.gateway.asgi import (
    Disconnected,
    Headers,
    Receive,
    Reply,
    Scope,
    Send,
    TooLarge,
    send_reply,
)
from postroom.surfaces.gateway.calls import Call, Dialect, GatewayDialect, Limits
from postroom.surfaces.gateway.connect import ConnectDialect
from postroom.surfaces.gateway.connection import cut, peer
from postroom.surfaces.gateway.deadline import check_in_time, within
from postroom.surfaces.gateway.failure import Failure, code_and_reason, failure, failure_of
from postroom.surfaces.gateway.hangup import CancelOnHangup
from postroom.surfaces.gateway.presenter import LinePresenter, Presenter
from postroom.surfaces.gateway.stream import Lines, Listener
from postroom.surfaces.lingering import lingering
from postroom.watching import PATIENCE_SECONDS

FORWARDED: Final = frozenset({"postroom-agent-id", "idempotency-key"})
_CONTENT_TOO_LARGE: Final = 413
_UNSUPPORTED_TYPE: Final = 415


class Gateway:
    """Serves every method of a door as JSON over HTTP, as grpc-gateway does.

    A client that speaks the Connect protocol is answered in it.
    """

    def __init__(
        self,
        door: Door,
        *,
        pool: DescriptorPool | None = None,
        strict_json: bool = False,
        max_body: int | None = None,
        patience: float = PATIENCE_SECONDS,
        forwarded_headers: frozenset[str] = FORWARDED,
        turned_away: TurnedAway = nobody_hears,
    ) -> None:
        """Read the routes. Raises ValueError for an http rule that cannot work.

        The pool resolves the types of Any. Bodies may have as many bytes as their method
        takes, and no more than max_body. The named headers reach the door as metadata of the
        same name. Who watches and has not read for `patience` seconds is cut off.
        `turned_away` hears of requests that became no call.
        """
        limits = Limits(strict_json, max_body, forwarded_headers)
        reader = Reader(pool)
        self._door = door
        self._patience = patience
        self._turned_away = turned_away
        self._gateway = GatewayDialect(door.specs, Printer(pool), reader, limits)
        self._connect = ConnectDialect(door.specs, Printer(pool, unset=False), reader, limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)
        else:
            raise ValueError(f"{scope['type']} is not served; connect by HTTP")

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers.of(scope)
        dialect = self._dialect(scope, headers)
        outgoing = Outgoing()
        reply: Reply | None = None
        call: Call | None = None
        try:
            _refuse_grpc(headers)
            ready = await dialect.read(scope, headers, receive)
            check_in_time(ready.incoming.time_left)
            call = ready
            with CancelOnHangup(receive):
                if isinstance(call.presenter, LinePresenter):
                    listener = Listener(send, self._patience, cut(scope))
                    await self._stream(call, call.presenter, outgoing, listener)
                else:
                    reply = await self._answer(call, outgoing)
        except Disconnected:
            return
        except TooLarge as error:
            refusal = RequestTooLarge(None, error.limit)
            self._turned_away(dialect.surface, refusal.code, refusal.reason, peer(scope))
            reply = _too_large(refusal, dialect.failures)
            send = send if error.is_whole else lingering(scope, receive, send)
        except Exception as error:
            # Whatever it is, the client gets an answer.
            failed = failure_of(error)
            if call is None:
                self._turned_away(dialect.surface, *code_and_reason(failed), peer(scope))
            reply = dialect.failures.failure(failed, outgoing)
        if reply is not None:
            await send_reply(send, reply, with_body=scope["method"] != "HEAD")

    def _dialect(self, scope: Scope, headers: Headers) -> Dialect:
        return self._connect if self._connect.is_spoken(scope, headers) else self._gateway

    async def _answer(self, call: Call, outgoing: Outgoing) -> Reply:
        asked = (call.spec, call.message, call.incoming, outgoing)
        if call.page is not None:
            async with within(call.incoming.time_left):
                wire = await self._door.call_wire(*asked)
            return call.presenter.printed(call.page(wire), outgoing, call.ignored)
        async with within(call.incoming.time_left):
            answer = await self._door.call(*asked)
        return call.presenter.success(answer, outgoing, call.ignored)

    async def _stream(
        self, call: Call, presenter: LinePresenter, outgoing: Outgoing, listener: Listener
    ) -> None:
        messages = self._door.stream(call.spec, call.message, call.incoming, outgoing)
        lines = Lines(listener, presenter, outgoing, call.ignored)
        await lines.send_all(messages, call.incoming.time_left)


def _too_large(refusal: RequestTooLarge, presenter: Presenter) -> Reply:
    failed = Failure(status(refusal), _CONTENT_TOO_LARGE)
    # What is left of the body may be too much, so nothing can follow on this connection.
    return presenter.failure(failed, Outgoing()).with_headers(("connection", "close"))


def _refuse_grpc(headers: Headers) -> None:
    if headers.first("content-type").lower().startswith("application/grpc"):
        text = "gRPC is served on the gRPC port; here send Content-Type: application/json"
        raise failure(Code.UNIMPLEMENTED, text, _UNSUPPORTED_TYPE)


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
