"""gRPC: every method behind a door, reflection and health, on one aio server."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from postroom.rpc.contract import Spec
from postroom.rpc.door import Door, Incoming, Outgoing
from postroom.rpc.methods import names
from postroom.surfaces.reflection import add_reflection
from postroom.surfaces.takeover import Takeover

# The library logs an error with a trace for each caller that left before its answer.
_LIBRARY_LOG, _CALLER_LEFT = "grpc._cython.cygrpc", "ExecuteBatchError"
_SETTLE_SECONDS = 0.1
MAX_MESSAGE = 4 * 1024 * 1024
_OPTIONS = (
    # Two servers must not share a port unawares (grpc/grpc#16920).
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", MAX_MESSAGE),
    # Clients that ping every 10 s on an idle stream are welcome.
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
)


class Wire:
    """The gRPC listener of one server."""

    def __init__(self, door: Door, *, reflection: bool = True) -> None:
        logging.getLogger(_LIBRARY_LOG).addFilter(_is_of_interest)
        self._takeover = Takeover()
        self._server = grpc.aio.server(options=_OPTIONS)
        self._server.add_generic_rpc_handlers((self._takeover,))
        self._health = health.aio.HealthServicer()
        self._services = names(door.specs)
        for service in self._services:
            own = [spec for spec in door.specs if spec.service == service]
            handlers = {spec.name: _method(door, spec) for spec in own}
            generic = grpc.method_handlers_generic_handler(service, handlers)
            self._takeover.add_generic_rpc_handlers((generic,))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._takeover)
        if reflection:
            add_reflection(self._takeover, (*self._services, health.SERVICE_NAME))

    def bind(self, address: str) -> int:
        """Take the port and return its number. Raises OSError when it is taken."""
        try:
            return self._server.add_insecure_port(address)
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


def _method(door: Door, spec: Spec) -> Any:
    many = spec.streams_responses
    make = grpc.unary_stream_rpc_method_handler if many else grpc.unary_unary_rpc_method_handler
    return make(
        _stream(door, spec) if many else _unary(door, spec),
        request_deserializer=spec.request_class.FromString,
        response_serializer=spec.response_class.SerializeToString if many else None,
    )


def _unary(door: Door, spec: Spec) -> Any:
    async def answer(request: Message, context: Any) -> bytes:
        outgoing = Outgoing()
        try:
            return await door.call_wire(spec, request, _incoming(context), outgoing)
        finally:
            if outgoing.headers or outgoing.trailers:
                await _send_metadata(context, outgoing)

    return answer


def _stream(door: Door, spec: Spec) -> Any:
    async def answer(request: Message, context: Any) -> Any:
        outgoing = Outgoing()
        async for message in door.stream(spec, request, _incoming(context), outgoing):
            yield message

    return answer


def _incoming(context: Any) -> Incoming:
    return Incoming(context.invocation_metadata() or (), context.time_remaining())


async def _send_metadata(context: Any, outgoing: Outgoing) -> None:
    if outgoing.headers:
        await context.send_initial_metadata(_pairs(outgoing.headers))
    if outgoing.trailers:
        context.set_trailing_metadata(_pairs(outgoing.trailers))


def _pairs(metadata: Sequence[tuple[str, str | bytes]]) -> tuple[tuple[str, str | bytes], ...]:
    return tuple(metadata)
