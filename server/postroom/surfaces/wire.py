"""gRPC: every method behind a door, reflection and health, on one aio server."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from postroom.errors import Refusal
from postroom.rpc.contract import MAX_REQUEST_BYTES, Spec
from postroom.rpc.door import Door, Incoming, Outgoing, TurnedAway, end_stream, nobody_hears
from postroom.rpc.methods import names
from postroom.surfaces.credentials import credentials
from postroom.surfaces.peer import Network, host_of, is_in, only_from, uris_of
from postroom.surfaces.reflection import add_reflection
from postroom.surfaces.takeover import Takeover
from postroom.tls import Tls
from postroom.watching import PATIENCE_SECONDS, lagged

# The library logs an error with a trace for each caller that left before its answer.
_LIBRARY_LOG, _CALLER_LEFT = "grpc._cython.cygrpc", "ExecuteBatchError"
_SETTLE_SECONDS = 0.2
_LONGEST_REQUEST = "grpc.max_receive_message_length"
_OPTIONS = (
    # Two servers must not share a port unawares (grpc/grpc#16920).
    ("grpc.so_reuseport", 0),
    # Clients that ping every 10 s on an idle stream are welcome.
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WireOptions:
    """How a gRPC listener is guarded.

    With `proxies` plain text is taken from there and from this machine only. A watcher
    that has not read for `patience` seconds is cut off. `turned_away` hears of requests
    that became no call.
    """

    reflection: bool = True
    tls: Tls | None = None
    proxies: tuple[Network, ...] = ()
    patience: float = PATIENCE_SECONDS
    turned_away: TurnedAway = nobody_hears


_PLAIN = WireOptions()


class Wire:
    """The gRPC listener of one server."""

    def __init__(self, door: Door, options: WireOptions = _PLAIN) -> None:
        logging.getLogger(_LIBRARY_LOG).addFilter(_is_of_interest)
        admit = only_from(options.proxies) if options.proxies and not options.tls else None
        self._tls = options.tls
        limits = {f"/{spec.full_name}": spec.max_request_bytes for spec in door.specs}
        self._takeover = Takeover(admit, limits, options.turned_away)
        most = max(limits.values(), default=MAX_REQUEST_BYTES)
        self._server = grpc.aio.server(options=(*_OPTIONS, (_LONGEST_REQUEST, most)))
        self._server.add_generic_rpc_handlers((self._takeover,))
        self._health = health.aio.HealthServicer()
        self._services = names(door.specs)
        for service in self._services:
            own = [spec for spec in door.specs if spec.service == service]
            handlers = {spec.name: _Method(door, spec, options).handler() for spec in own}
            generic = grpc.method_handlers_generic_handler(service, handlers)
            self._takeover.add_generic_rpc_handlers((generic,))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._takeover)
        if options.reflection:
            add_reflection(self._takeover, (*self._services, health.SERVICE_NAME))

    def bind(self, address: str) -> int:
        """Take the port and return its number. Raises OSError when it is taken."""
        try:
            if self._tls:
                return int(self._server.add_secure_port(address, credentials(self._tls)))
            return int(self._server.add_insecure_port(address))
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}") from error

    async def start(self) -> None:
        """Begin to answer, and say so through grpc.health.v1."""
        await self._server.start()
        await self.set_serving(True)

    async def set_serving(self, serving: bool) -> None:
        """Set the health of the server and of each service."""
        status = health_pb2.HealthCheckResponse
        for service in ("", *self._services):
            await self._health.set(service, status.SERVING if serving else status.NOT_SERVING)

    async def stop(self, grace: float) -> None:
        """Refuse new calls, end streams, let calls finish for `grace` seconds."""
        await self._health.enter_graceful_shutdown()
        self._takeover.end_streams()
        # A stop cancels what has arrived without being begun. So callers are kept
        # waiting for a moment, until none is left to arrive, and refused after it.
        await asyncio.sleep(_SETTLE_SECONDS)
        stopping = asyncio.create_task(self._server.stop(grace))
        await asyncio.sleep(_SETTLE_SECONDS)
        self._takeover.refuse()
        await stopping


def _is_of_interest(record: logging.LogRecord) -> bool:
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or kind.__name__ != _CALLER_LEFT


class _Method:
    """One method as a handler of gRPC's."""

    def __init__(self, door: Door, spec: Spec, options: WireOptions) -> None:
        self._door = door
        self._spec = spec
        self._patience = options.patience
        self._asks_clients = options.tls is not None and options.tls.asks_clients
        self._proxies = options.proxies

    def handler(self) -> Any:
        """What the server is given."""
        spec = self._spec
        if spec.streams_responses:
            return grpc.unary_stream_rpc_method_handler(
                self._stream,
                request_deserializer=spec.request_class.FromString,
                response_serializer=spec.response_class.SerializeToString,
            )
        return grpc.unary_unary_rpc_method_handler(
            self._unary, request_deserializer=spec.request_class.FromString
        )

    async def _unary(self, request: Message, context: Any) -> bytes:
        outgoing = Outgoing()
        try:
            incoming = self._incoming(context)
            return await self._door.call_wire(self._spec, request, incoming, outgoing)
        finally:
            if outgoing.headers or outgoing.trailers:
                await _send_metadata(context, outgoing)

    async def _stream(self, request: Message, context: Any) -> None:
        messages = self._door.stream(self._spec, request, self._incoming(context), Outgoing())
        async with aclosing(messages):  # type: ignore[type-var]
            async for message in messages:
                try:
                    await self._write(context, message)
                except Refusal as refusal:
                    await end_stream(messages, refusal)

    async def _write(self, context: Any, message: Message) -> None:
        """Write one message; that is done once the client has room for more."""
        writing = asyncio.ensure_future(context.write(message))
        writing.add_done_callback(_heard)
        try:
            await asyncio.wait((writing,), timeout=self._patience)
        except asyncio.CancelledError:
            # A call cannot be ended properly around a write that was broken off.
            await asyncio.wait((writing,), timeout=self._patience)
            raise
        if not writing.done():
            raise lagged(self._patience)
        await writing

    def _incoming(self, context: Any) -> Incoming:
        host = host_of(context.peer())
        return Incoming(
            context.invocation_metadata() or (),
            context.time_remaining(),
            host,
            uris_of(context) if self._asks_clients else (),
            bool(self._proxies) and is_in(host, self._proxies),
            "",
            "grpc",
        )


def _heard(writing: asyncio.Future[None]) -> None:
    """Take note of a failure that nobody waits for any more."""
    if not writing.cancelled():
        writing.exception()


async def _send_metadata(context: Any, outgoing: Outgoing) -> None:
    if outgoing.headers:
        await context.send_initial_metadata(_pairs(outgoing.headers))
    if outgoing.trailers:
        context.set_trailing_metadata(_pairs(outgoing.trailers))


def _pairs(metadata: Sequence[tuple[str, str | bytes]]) -> tuple[tuple[str, str | bytes], ...]:
    return tuple(metadata)
