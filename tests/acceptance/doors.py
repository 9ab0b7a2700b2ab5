"""The two doors of a server as clients see them: the same calls, the same refusals."""

import contextlib
import http.client
import json
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import grpc
from google.protobuf import json_format
from google.protobuf.message import Message
from google.rpc import code_pb2
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from postroom.rpc import contract

SERVICE = "agent.v1.AgentService"
AGENT_ID = "postroom-agent-id"
SECONDS = 30.0
# What a caller must never be shown.
_INTERNALS = (
    "Traceback", str(Path(__file__).parents[2]), "/home", "/usr", "/tmp", ".py", "site-packages",
    "Exception",
    "SELECT ", "INSERT ", "UPDATE ", "DELETE ", "COMMIT", "ROLLBACK", "sqlite", "psycopg", "peewee",
)  # fmt: skip
_SPECS = {spec.name: spec for spec in contract.load().specs}
# A restarted server is to be found at once.
_CHANNEL = (
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 200),
)

_MCP = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}
# The library behind it is an extra.
HAS_MCP = find_spec("mcp") is not None


class Refused(Exception):
    """A call that did not succeed. Makes sure that it tells nothing internal."""

    def __init__(self, code: str, reason: str, message: str, *, answered: bool = True) -> None:
        super().__init__(f"{code} {reason}: {message}")
        self.code, self.reason, self.message = code, reason, message
        # False when no whole answer came back, so that the outcome is not known.
        self.answered = answered
        shown = [word for word in _INTERNALS if word in message]
        assert not shown, f"internal text {shown} in {message!r}"
        assert code != "UNKNOWN", message


class Door(Protocol):
    """A client of one server. Not for several threads at once."""

    def call(self, method: str, as_: str = "", seconds: float = SECONDS, **fields: Any) -> Any:
        """Make one call and return the response message. Raises Refused."""
        ...

    def close(self) -> None:
        """Let go of the connection."""
        ...


def open_channel(address: str, *options: tuple[str, int]) -> grpc.Channel:
    """A gRPC channel of its own connection."""
    return grpc.insecure_channel(address, options=(*_CHANNEL, *options))


class GrpcDoor:
    """Calls through gRPC."""

    def __init__(self, address: str) -> None:
        self.channel = open_channel(address)

    def call(self, method: str, as_: str = "", seconds: float = SECONDS, **fields: Any) -> Any:
        """See Door."""
        spec = _SPECS[method]
        request = spec.request_class(**fields).SerializeToString()
        return spec.response_class.FromString(
            raw_call(self.channel, f"/{spec.full_name}", request, as_=as_, seconds=seconds)
        )

    def close(self) -> None:
        """See Door."""
        self.channel.close()


def raw_call(
    channel: grpc.Channel,
    path: str,
    request: bytes,
    *,
    as_: str = "",
    seconds: float = SECONDS,
    metadata: tuple[tuple[str, str], ...] = (),
) -> bytes:
    """Make one unary call with bytes as they are. Raises Refused."""
    named = ((AGENT_ID, as_),) if as_ else ()
    method: Any = channel.unary_unary(path)
    try:
        answer: bytes = method(request, timeout=seconds, metadata=(*named, *metadata))
    except grpc.RpcError as error:
        raise refusal(error) from None
    return answer


def refusal(error: Any) -> Refused:
    """A failed gRPC call as a refusal; one without details was made by a library."""
    status = rpc_status.from_call(error)
    code: str = error.code().name
    return Refused(code, reason_of(status) if status else "", str(error.details()))


def reason_of(status: Status) -> str:
    """The reason that a status carries, "" if it has none."""
    info = ErrorInfo()
    return next((info.reason for detail in status.details if detail.Unpack(info)), "")


@dataclass(frozen=True)
class Reply:
    """One HTTP answer."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def event(self) -> Any:
        """The JSON of a body that may be one server-sent event."""
        lines = self.body.decode().splitlines()
        data = [line.removeprefix("data:") for line in lines if line.startswith("data:")]
        return json.loads("".join(data)) if data else self.json


class JsonDoor:
    """Calls through JSON over HTTP, on one connection that is kept."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._connection: http.client.HTTPConnection | None = None

    def call(self, method: str, as_: str = "", seconds: float = SECONDS, **fields: Any) -> Any:
        """See Door."""
        spec = _SPECS[method]
        body = json_format.MessageToJson(spec.request_class(**fields)).encode()
        headers = {"Grpc-Timeout": f"{round(seconds * 1000)}m"} | ({AGENT_ID: as_} if as_ else {})
        reply = self.post(f"/{spec.full_name}", body, headers, seconds)
        if reply.status != 200:
            raise refusal_in(reply)
        return json_format.Parse(reply.body, spec.response_class())

    def post(
        self, path: str, body: bytes, headers: dict[str, str], seconds: float = SECONDS
    ) -> Reply:
        """Post a body as it is. Raises Refused when no whole answer comes back."""
        if self._connection is None:
            self._connection = _connection(self._address)
        # The server's own word on a deadline comes a little after it.
        self._connection.timeout = seconds + 1
        try:
            if self._connection.sock:
                self._connection.sock.settimeout(seconds + 1)
            told = {"Content-Type": "application/json"} | headers
            # A server that wants no more of a body says so and closes: its answer counts.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._connection.request("POST", path, body, told)
            return _reply(self._connection)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Refused("UNAVAILABLE", "LOST", type(error).__name__, answered=False) from None

    def close(self) -> None:
        """See Door."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class McpDoor(JsonDoor):
    """Calls through MCP tools over HTTP, each in a request of its own."""

    def call(self, method: str, as_: str = "", seconds: float = SECONDS, **fields: Any) -> Any:
        """See Door."""
        spec = _SPECS[method]
        arguments = json_format.MessageToDict(spec.request_class(**fields))
        params = {"name": spec.snake_name, "arguments": arguments}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        reply = self.post("/mcp", json.dumps(call).encode(), _MCP | {AGENT_ID: as_}, seconds)
        if reply.status != 200:
            raise Refused("UNAVAILABLE", "LOST", f"HTTP status {reply.status}", answered=False)
        result = reply.event["result"]
        value = result["structuredContent"]
        if result.get("isError"):
            raise Refused(value["code"].upper(), value["reason"], value["message"])
        return json_format.ParseDict(value, spec.response_class())


def open_door(kind: str, grpc: str, http: str) -> Door:
    """A client through "grpc", "json" or "mcp" of a server at these addresses."""
    if kind == "grpc":
        return GrpcDoor(grpc)
    return McpDoor(http) if kind == "mcp" else JsonDoor(http)


def refusal_in(reply: Reply) -> Refused:
    """A google.rpc.Status in an HTTP answer."""
    status = json_format.Parse(reply.body, Status())
    return Refused(code_pb2.Code.Name(status.code), reason_of(status), status.message)


def http_get(address: str, path: str) -> Reply:
    """Get one page. Raises OSError when nobody answers."""
    connection = _connection(address)
    try:
        connection.request("GET", path)
        return _reply(connection)
    except http.client.HTTPException as error:
        raise OSError(str(error)) from error
    finally:
        connection.close()


def whole_mailbox(door: Door, agent: str, **fields: Any) -> list[Any]:
    """Every page of an agent's own mailbox, newest first."""
    found: list[Any] = []
    cursor = ""
    while True:
        pagination: Any = {"limit": 200, "cursor": cursor}
        page = door.call("ListMail", agent, pagination=pagination, **fields)
        found += page.mail
        cursor = page.next_page_token
        if not cursor:
            return found


def message(method: str, **fields: Any) -> Message:
    """A request message."""
    return _SPECS[method].request_class(**fields)


def _connection(address: str) -> http.client.HTTPConnection:
    parts = urlsplit(f"//{address}")
    return http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=SECONDS)


def _reply(connection: http.client.HTTPConnection) -> Reply:
    response = connection.getresponse()
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Reply(response.status, response.read(), headers)
