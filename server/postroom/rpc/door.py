"""The one door that every surface takes to the operations, as a protocol.

A surface turns what it received into a request message, hands it to a door with
what came beside it, and writes out the response or the Refusal that is raised.
Tests give surfaces scripted doors.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from google.protobuf.message import Message

from postroom.errors import Code, Refusal
from postroom.rpc.contract import Spec

Metadata = Sequence[tuple[str, str | bytes]]
# Where callers hand on a trace (W3C Trace Context).
TRACE = ("traceparent", "tracestate")
# Told of a request that a surface refused before it became a call: the surface, the
# code, the reason, the caller's address.
TurnedAway = Callable[[str, Code, str, str], None]


def nobody_hears(surface: str, code: Code, reason: str, peer: str) -> None:
    """A TurnedAway for where nobody looks after the server."""


async def end_stream(messages: AsyncIterator[Message], refusal: Refusal) -> None:
    """End a stream of a door's, which hears why. Raises the refusal."""
    throw = getattr(messages, "athrow", None)
    if throw is not None:
        await throw(refusal)
    raise refusal


class Incoming(NamedTuple):
    """What came beside a request: metadata (lower-case names) and the seconds left.

    `peer` is the address of the caller's machine, '' where it is this one and no address is
    needed, as on a Unix socket; `peer_uris` are those of the certificate that the caller
    has shown and the server has checked. `is_proxied` tells that a known proxy has handed
    the call on. `session` is the id of the caller's session, '' outside any. `surface`
    names the way in: grpc, json, connect or mcp.
    """

    metadata: Metadata = ()
    time_left: float | None = None
    peer: str = ""
    peer_uris: Sequence[str] = ()
    is_proxied: bool = False
    session: str = ""
    surface: str = ""


@dataclass(slots=True)
class Outgoing:
    """What goes beside a response: initial and trailing metadata.

    `caller_id` is the agent that was proven to call, for those who observe the call.
    """

    headers: list[tuple[str, str | bytes]] = field(default_factory=list)
    trailers: list[tuple[str, str | bytes]] = field(default_factory=list)
    caller_id: str = ""


class Door(Protocol):
    """Calls operations."""

    @property
    def specs(self) -> Sequence[Spec]:
        """Every method behind the door, in order of declaration."""
        ...

    async def call(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Message:
        """Answer one request. Raises Refusal."""
        ...

    async def call_wire(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> bytes:
        """The same with the response in wire form, which some operations have ready."""
        ...

    def stream(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> AsyncIterator[Message]:
        """Answer one request with a stream of messages. Raises Refusal on iteration."""
        ...
