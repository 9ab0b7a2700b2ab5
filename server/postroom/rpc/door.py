"""The one door that every surface takes to the operations, as a protocol.

A surface turns what it received into a request message, hands it to a door with
what came beside it, and writes out the response or the Refusal that is raised.
Tests give surfaces scripted doors.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from google.protobuf.message import Message

from postroom.rpc.contract import Spec

Metadata = Sequence[tuple[str, str | bytes]]


class Incoming(NamedTuple):
    """What came beside a request: metadata (lower-case names) and the seconds left.

    `peer` is the address of the caller's machine, '' where none is known; `peer_uris`
    are those of the certificate that the caller has shown and the server has checked;
    `surface` is the way in: grpc, json, connect or mcp.
    """

    metadata: Metadata = ()
    time_left: float | None = None
    peer: str = ""
    peer_uris: Sequence[str] = ()
    surface: str = ""


@dataclass(slots=True)
class Outgoing:
    """What goes beside a response: initial and trailing metadata."""

    headers: list[tuple[str, str | bytes]] = field(default_factory=list)
    trailers: list[tuple[str, str | bytes]] = field(default_factory=list)


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
