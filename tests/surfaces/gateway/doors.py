"""A door that does as it is told and keeps what it was asked."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from google.protobuf.message import Message

from postroom.rpc.contract import Spec
from postroom.rpc.door import Incoming, Outgoing


@dataclass
class Asked:
    spec: Spec
    request: Message
    incoming: Incoming


@dataclass
class ScriptedDoor:
    """Answers with the messages, then raises the error if there is one."""

    specs: Sequence[Spec]
    messages: Sequence[Message] = ()
    error: BaseException | None = None
    headers: Sequence[tuple[str, str | bytes]] = ()
    trailers: Sequence[tuple[str, str | bytes]] = ()
    hangs: bool = False
    asked: list[Asked] = field(default_factory=list)
    cancelled: int = 0
    began: asyncio.Event = field(default_factory=asyncio.Event)

    async def call(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Message:
        await self._begin(spec, request, incoming, outgoing)
        if self.error:
            raise self.error
        return self.messages[0] if self.messages else spec.response_class()

    async def call_wire(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> bytes:
        return (await self.call(spec, request, incoming, outgoing)).SerializeToString()

    async def stream(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> AsyncIterator[Message]:
        await self._begin(spec, request, incoming, outgoing)
        for message in self.messages:
            yield message
        if self.error:
            raise self.error

    async def _begin(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> None:
        self.asked.append(Asked(spec, request, incoming))
        self.began.set()
        outgoing.headers.extend(self.headers)
        outgoing.trailers.extend(self.trailers)
        if self.hangs:
            try:
                await asyncio.Event().wait()
            finally:
                self.cancelled += 1
