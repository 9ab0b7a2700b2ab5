"""What stands behind both gateways: doors that remember, and a gRPC server for any door."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from postroom.rpc.contract import Spec
from postroom.rpc.door import Door, Incoming, Outgoing
from postroom.surfaces.gateway.failure import Failure
from tests.surfaces.gateway.doors import Asked

_CODES = {code.value[0]: code for code in grpc.StatusCode}


class InMemory:
    """Gives a door the form of its answers that the wire has."""

    async def call(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Message:
        raise NotImplementedError

    async def call_wire(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> bytes:
        answer = await self.call(spec, request, incoming, outgoing)
        return answer.SerializeToString()


@dataclass
class Watched:
    """Hands calls on and keeps what was asked."""

    door: Door
    asked: list[Asked] = field(default_factory=list)

    @property
    def specs(self) -> Sequence[Spec]:
        return self.door.specs

    async def call(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Message:
        self._keep(spec, request, incoming)
        return await self.door.call(spec, request, incoming, outgoing)

    async def call_wire(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> bytes:
        self._keep(spec, request, incoming)
        return await self.door.call_wire(spec, request, incoming, outgoing)

    def stream(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> AsyncIterator[Message]:
        self._keep(spec, request, incoming)
        return self.door.stream(spec, request, incoming, outgoing)

    def _keep(self, spec: Spec, request: Message, incoming: Incoming) -> None:
        # The call may go on to change its request.
        kept = type(request).FromString(request.SerializePartialToString())
        self.asked.append(Asked(spec, kept, incoming))


@dataclass(frozen=True)
class Echo(InMemory):
    """Answers with the request; one that says so fails with the code it names."""

    specs: Sequence[Spec]

    async def call(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Message:
        del incoming
        outgoing.headers.append(("x-echo", spec.name))
        if "bin" in getattr(request, "words", {}):
            outgoing.headers.append(("x-echo-bin", b"\x00\xff"))
        _fail_if_asked(request)
        return _answer(spec, request)

    async def stream(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> AsyncIterator[Message]:
        del incoming, outgoing
        for _ in range(len(getattr(request, "texts", ()))):
            yield _answer(spec, request)
        _fail_if_asked(request)


def _fail_if_asked(request: Any) -> None:
    told = dict(getattr(request, "words", {}))
    if told.get("fail", "").isdecimal():
        status = Status(code=int(told["fail"]) % 17 or 2, message=told.get("why", "asked to"))
        status.details.add().Pack(ErrorInfo(reason="ASKED", domain="echo", metadata=told))
        raise Failure(status)


def _answer(spec: Spec, request: Any) -> Message:
    if spec.output.full_name == "google.api.HttpBody":
        return spec.response_class(data=request.data, content_type=request.text)
    thing = getattr(request, "thing", request)
    answer = spec.response_class()
    answer.MergeFrom(thing)
    return answer


class Backend:
    """A gRPC server that plays a door, its failures as they are."""

    def __init__(self, door: Door) -> None:
        self._server = grpc.aio.server()
        for service in dict.fromkeys(spec.service for spec in door.specs):
            own = [spec for spec in door.specs if spec.service == service]
            handlers = {spec.name: _handler(door, spec) for spec in own}
            generic = grpc.method_handlers_generic_handler(service, handlers)
            self._server.add_generic_rpc_handlers((generic,))

    async def start(self, port: int) -> None:
        """Answer on a port."""
        self._server.add_insecure_port(f"127.0.0.1:{port}")
        await self._server.start()

    async def stop(self) -> None:
        """End every call."""
        await self._server.stop(None)


def _handler(door: Door, spec: Spec) -> Any:
    async def unary(request: Message, context: Any) -> Any:
        outgoing = Outgoing()
        try:
            answer = await door.call(spec, request, _incoming(context), outgoing)
        except Failure as failure:
            await _abort(context, failure, outgoing)
        else:
            await _send(context, outgoing)
            return answer

    async def stream(request: Message, context: Any) -> AsyncIterator[Message]:
        outgoing = Outgoing()
        try:
            async for message in door.stream(spec, request, _incoming(context), outgoing):
                await _send(context, outgoing)
                yield message
        except Failure as failure:
            await _abort(context, failure, outgoing)
        await _send(context, outgoing)

    make = grpc.unary_stream_rpc_method_handler if spec.streams_responses else None
    make = make or grpc.unary_unary_rpc_method_handler
    return make(
        stream if spec.streams_responses else unary,
        request_deserializer=spec.request_class.FromString,
        response_serializer=lambda message: message.SerializeToString(),
    )


def _incoming(context: Any) -> Incoming:
    return Incoming(context.invocation_metadata() or (), context.time_remaining())


async def _send(context: Any, outgoing: Outgoing) -> None:
    if outgoing.headers:
        await context.send_initial_metadata(tuple(outgoing.headers))
        outgoing.headers.clear()
    context.set_trailing_metadata(tuple(outgoing.trailers))


async def _abort(context: Any, failure: Failure, outgoing: Outgoing) -> None:
    await _send(context, outgoing)
    details = ("grpc-status-details-bin", failure.status.SerializeToString())
    code = _CODES[failure.status.code]
    await context.abort(code, failure.status.message, (*outgoing.trailers, details))
