"""A call through each surface, and what became of it: `ok`, or its code and reason."""

import http.client
import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, Protocol
from unittest.mock import patch

import grpc
from google.protobuf import json_format
from google.protobuf.message import Message
from google.rpc.status_pb2 import Status

from postroom.cli.root import run
from postroom.rpc.contract import Spec
from tests.acceptance.doors import open_channel, reason_of, refusal
from tests.security.callers import Kind
from tests.security.listeners import Listeners

OK, NOT_OFFERED = "ok", "not offered"
_SECONDS = 20.0
_UNKNOWN_TOOL = -32602


class Surface(Protocol):
    """One way to call a server."""

    name: str

    def serves(self, spec: Spec) -> bool:
        """Whether the method can be called here at all."""
        ...

    def outcome(self, kind: Kind, spec: Spec, request: Message) -> str:
        """Call, and say what became of it."""
        ...


class Grpc:
    """gRPC."""

    name = "gRPC"

    def __init__(self, listeners: Mapping[bool, Listeners]) -> None:
        self._channels = {trusted: open_channel(each.grpc) for trusted, each in listeners.items()}

    def serves(self, spec: Spec) -> bool:
        """See Surface."""
        return bool(spec)

    def outcome(self, kind: Kind, spec: Spec, request: Message) -> str:
        """See Surface."""
        channel = self._channels[kind.trusted]
        make = channel.unary_stream if spec.streams_responses else channel.unary_unary
        call: Any = make(f"/{spec.full_name}")
        metadata = tuple(headers(kind).items())
        try:
            answer = call(request.SerializeToString(), timeout=_SECONDS, metadata=metadata)
            if spec.streams_responses:
                next(answer)
                answer.cancel()
        except grpc.RpcError as error:
            found = refusal(error)
            return f"{found.code} {found.reason}"
        return OK

    def close(self) -> None:
        """Let go of the connections."""
        for channel in self._channels.values():
            channel.close()


class Json:
    """JSON over HTTP."""

    name = "JSON"

    def __init__(self, listeners: Mapping[bool, Listeners]) -> None:
        self._addresses = {trusted: each.http for trusted, each in listeners.items()}

    def serves(self, spec: Spec) -> bool:
        """See Surface."""
        return bool(spec)

    def outcome(self, kind: Kind, spec: Spec, request: Message) -> str:
        """See Surface."""
        body = json_format.MessageToJson(request).encode()
        told = {"Content-Type": "application/json"} | headers(kind)
        with posted(self._addresses[kind.trusted], f"/{spec.full_name}", body, told) as response:
            if not spec.streams_responses:
                return _json_outcome(json.loads(response.read()), response.status)
            line = json.loads(response.readline())
            return OK if "result" in line else _json_outcome(line["error"], response.status)

    def close(self) -> None:
        """Each call has a connection of its own."""


class Mcp:
    """MCP tools over HTTP."""

    name = "MCP"

    def __init__(self, listeners: Mapping[bool, Listeners]) -> None:
        self._addresses = {trusted: each.http for trusted, each in listeners.items()}

    def serves(self, spec: Spec) -> bool:
        """See Surface."""
        return not spec.streams_responses

    def outcome(self, kind: Kind, spec: Spec, request: Message) -> str:
        """See Surface."""
        params = {"name": spec.snake_name, "arguments": json_format.MessageToDict(request)}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        told = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        } | headers(kind)
        address = self._addresses[kind.trusted]
        with posted(address, "/mcp", json.dumps(call).encode(), told) as response:
            return _tool_outcome(_json_of(response))

    def close(self) -> None:
        """Each call has a connection of its own."""


class Cli:
    """The command line, which shows codes and no reasons."""

    name = "CLI"

    def __init__(self, listeners: Mapping[bool, Listeners]) -> None:
        self._addresses = {trusted: each.http for trusted, each in listeners.items()}

    def serves(self, spec: Spec) -> bool:
        """See Surface."""
        return not spec.streams_responses

    def outcome(self, kind: Kind, spec: Spec, request: Message) -> str:
        """See Surface."""
        variables = {
            "POSTROOM_URL": f"http://{self._addresses[kind.trusted]}",
            "POSTROOM_AGENT_ID": kind.agent_id,
            "POSTROOM_TOKEN": kind.token,
            # Where no operator's token is, so that nothing but the kind proves anything.
            "POSTROOM_DATA_DIR": os.devnull,
        }
        words = ["rpc", spec.kebab_name, "--json", json_format.MessageToJson(request)]
        errors = io.StringIO()
        out = io.TextIOWrapper(io.BytesIO(), "utf-8")
        err = io.TextIOWrapper(io.BytesIO(), "utf-8")
        with patch.dict(os.environ, variables), redirect_stdout(out), redirect_stderr(err):
            status = run(words)
        errors.write(err.buffer.getvalue().decode() if isinstance(err.buffer, io.BytesIO) else "")
        return OK if status == 0 else errors.getvalue().partition(":")[0].upper()

    def close(self) -> None:
        """Each call has a connection of its own."""


def headers(kind: Kind) -> dict[str, str]:
    """What a caller gives, as headers and as metadata."""
    found = {"postroom-agent-id": kind.agent_id} if kind.agent_id else {}
    return found | ({"authorization": f"Bearer {kind.token}"} if kind.token else {})


@contextmanager
def posted(
    address: str, path: str, body: bytes, told: Mapping[str, str]
) -> Iterator[http.client.HTTPResponse]:
    """The answer to one POST, on a connection of its own."""
    connection = http.client.HTTPConnection(address, timeout=_SECONDS)
    try:
        connection.request("POST", path, body, dict(told))
        yield connection.getresponse()
    finally:
        connection.close()


def _json_outcome(value: Any, status: int) -> str:
    if status == http.HTTPStatus.OK and "code" not in value:
        return OK
    found = json_format.ParseDict(value, Status())
    return f"{_code_name(found.code)} {reason_of(found)}"


def _tool_outcome(answer: Any) -> str:
    if "error" in answer:
        is_unknown = answer["error"]["code"] == _UNKNOWN_TOOL
        return NOT_OFFERED if is_unknown else f"error {answer['error']}"
    result = answer["result"]
    if not result.get("isError"):
        return OK
    # Such as "permission_denied (CHILD_SCOPE): …".
    code, _, rest = result["content"][0]["text"].partition(" (")
    return f"{code.upper()} {rest.partition(')')[0]}"


def _json_of(response: http.client.HTTPResponse) -> Any:
    text = response.read().decode()
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    return json.loads("".join(lines) or text)


def _code_name(code: int) -> str:
    return next(name.name for name in grpc.StatusCode if name.value[0] == code)
