"""The recorded cases: what each asks, and the backend that it was recorded with."""

import asyncio
import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message
from google.rpc.status_pb2 import Status

from postroom.rpc.contract import Spec
from postroom.rpc.door import Incoming, Outgoing
from postroom.surfaces.gateway.failure import Failure
from tests.interop.gateway.doors import InMemory
from tests.interop.gateway.exchange import Request
from tests.surfaces.gateway.test_vectors import CONTRACT, DATA

# A gRPC server of grpcio cannot send a code that has no name.
NOT_PLAYED = {"error_out_of_range_code"}


@dataclass
class Played(InMemory):
    """A door that answers as a recorded backend did."""

    specs: Sequence[Spec] = CONTRACT.specs
    backend: Mapping[str, Any] = field(default_factory=dict)

    async def call(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Message:
        async for message in self.stream(spec, request, incoming, outgoing):
            return message
        return spec.response_class()

    async def stream(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> AsyncIterator[Message]:
        del request
        backend = self.backend
        outgoing.headers += _pairs(backend.get("header", {}))
        outgoing.trailers += _pairs(backend.get("trailer", {}))
        if "sleep_ms" in backend and incoming.time_left is not None:
            await _until_cancelled()
        failed = _failure(backend)
        if failed and not spec.streams_responses:
            raise failed
        for one in backend.get("stream", [backend.get("response", {})]):
            yield json_format.ParseDict(one, spec.response_class(), ignore_unknown_fields=True)
        if failed:
            raise failed


def vectors() -> list[Request]:
    """The recorded requests that can be played."""
    return [_request(vector) for vector in DATA["vectors"] if vector["name"] not in NOT_PLAYED]


def _request(vector: dict[str, Any]) -> Request:
    asked = vector["request"]
    raw = asked.get("body_base64")
    body = base64.b64decode(raw) if raw else asked.get("body", "").encode()
    headers = tuple((name, value) for name, value in asked["headers"])
    name = f"vector:{vector['name']}"
    return Request(name, asked["method"], asked["path"], headers, body, vector["backend"])


async def _until_cancelled() -> None:
    await asyncio.sleep(10)


def _pairs(values: Mapping[str, Sequence[str]]) -> list[tuple[str, str | bytes]]:
    return [(name, value) for name, many in values.items() for value in many]


def _failure(backend: Mapping[str, Any]) -> Failure | None:
    if "status_proto_base64" in backend:
        return Failure(Status.FromString(base64.b64decode(backend["status_proto_base64"])))
    if "status" not in backend:
        return None
    return Failure(json_format.ParseDict(backend["status"], Status()))
