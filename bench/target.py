"""What a load generator sends, and what it tells afterwards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from bench.empty import ROUTE, SERVICE
from bench.spread import STAND_IN
from postroom.rpc.identity import AGENT_ID

# A gRPC message is led by a flag and its length.
FRAME_BYTES = 5
MAIL, MESSAGES = "agent.v1.AgentService", "agent.v1.MessageService"
_CALLER = {AGENT_ID: STAND_IN}
_GRPC = {"content-type": "application/grpc", "te": "trailers", **_CALLER}
_JSON = {"content-type": "application/json", **_CALLER}


@dataclass(frozen=True)
class Target:
    """One request, sent over and over by `streams` callers at once.

    A gRPC body is the bare message; an empty body over HTTP is a GET.
    """

    protocol: Literal["grpc", "http"]
    port: int
    path: str
    body: bytes
    streams: int
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Such as http://127.0.0.1:20000/v1/mail."""
        return f"http://127.0.0.1:{self.port}{self.path}"

    @property
    def sent(self) -> bytes:
        """The body as it goes out."""
        if self.protocol == "http":
            return self.body
        return b"\0" + len(self.body).to_bytes(4, "big") + self.body


@dataclass(frozen=True)
class Measured:
    """How many requests succeeded, how fast, and how many bytes came back.

    `latencies` are seconds, given only when they were asked for.
    """

    count: int
    seconds: float
    payload: int
    latencies: Sequence[float] = ()

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.count / self.seconds


class Load(Protocol):
    """A load generator."""

    @property
    def name(self) -> str:
        """Which one it is."""
        ...

    def run(self, target: Target, count: int, *, keep_latencies: bool = False) -> Measured:
        """Send `count` requests. Raises Trouble when one fails."""
        ...


def grpc_method(port: int, name: str, body: bytes, streams: int, service: str = MAIL) -> Target:
    """A method of the post room."""
    return Target("grpc", port, f"/{service}/{name}", body, streams, _GRPC)


def grpc_empty(port: int, size: int, body: bytes, streams: int) -> Target:
    """The empty method that answers `size` bytes."""
    return Target("grpc", port, f"/{SERVICE}/{size}", body, streams, _GRPC)


def json_route(port: int, path: str, body: bytes, connections: int) -> Target:
    """A JSON route of the post room."""
    return Target("http", port, path, body, connections, _JSON)


def json_empty(port: int, size: int, body: bytes, connections: int) -> Target:
    """The empty route that answers `size` bytes."""
    return Target("http", port, f"{ROUTE}{size}", body, connections, _JSON)
