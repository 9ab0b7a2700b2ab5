"""A door that spreads calls over many callers, since every load request is alike."""

import itertools
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from postroom.rpc.contract import Spec
from postroom.rpc.door import Door, Incoming, Outgoing
from postroom.rpc.identity import AGENT_ID

# What a load request says as its caller, so that the header is read and carried.
STAND_IN = "agt_00000000000000000000000000"


@dataclass(frozen=True)
class Cast:
    """Who calls a method in turn, and whom they write to.

    `names` are those of the callers, for requests that say who calls and name many.
    """

    callers: Sequence[str]
    recipients: Sequence[str] = ()
    names: Sequence[str] = ()

    def turns(self) -> Iterator["Turn"]:
        """Caller and recipients for ever; one group writing to itself makes every pair."""
        for turn in itertools.count():
            lap, at = divmod(turn, len(self.callers))
            yield Turn(self, at, lap)


@dataclass(frozen=True, slots=True)
class Turn:
    """One call of a cast: the caller's place in it, and how often all have called."""

    cast: Cast
    at: int
    lap: int

    @property
    def caller(self) -> str:
        """The caller's id."""
        return self.cast.callers[self.at]

    def address(self, request: Any) -> None:
        """Put the recipients in, as many as the request has, and the caller's name."""
        if self.cast.names:
            request.sender_name = self.cast.names[self.at]
            request.to[:] = [self._recipient(at) for at in range(len(request.to))]
        elif self.cast.recipients:
            request.to = self._recipient(0)

    def _recipient(self, further: int) -> str:
        size = len(self.cast.recipients)
        return self.cast.recipients[(self.at + 1 + (self.lap + further) % max(1, size - 1)) % size]


class Spread:
    """Hands calls on, each as the next of its method's cast."""

    def __init__(self, door: Door, casts: Mapping[str, Cast]) -> None:
        self._door = door
        self._turns = {method: cast.turns() for method, cast in casts.items()}

    @property
    def specs(self) -> Sequence[Spec]:
        """See Door."""
        return self._door.specs

    async def call(
        self, spec: Spec, request: Any, incoming: Incoming, outgoing: Outgoing
    ) -> Message:
        """See Door."""
        incoming = self._spread(spec, request, incoming)
        return await self._door.call(spec, request, incoming, outgoing)

    async def call_wire(
        self, spec: Spec, request: Any, incoming: Incoming, outgoing: Outgoing
    ) -> bytes:
        """See Door."""
        incoming = self._spread(spec, request, incoming)
        return await self._door.call_wire(spec, request, incoming, outgoing)

    def _spread(self, spec: Spec, request: Any, incoming: Incoming) -> Incoming:
        turns = self._turns.get(spec.name)
        if turns is None:
            return incoming
        turn = next(turns)
        turn.address(request)
        # As short as can be: what is done here counts as if the server did it.
        own = [pair for pair in incoming.metadata if pair[0] != AGENT_ID]
        own.append((AGENT_ID, turn.caller))
        return Incoming(own, *incoming[1:])

    def stream(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> AsyncIterator[Message]:
        """See Door."""
        return self._door.stream(spec, request, incoming, outgoing)
