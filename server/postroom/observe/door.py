"""The door, observed: each call is counted, logged and traced, whatever its surface."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Protocol

from google.protobuf.message import Message

from postroom import token
from postroom.errors import Code, Internal, Refusal
from postroom.observe.calls import CallLog
from postroom.observe.ended import OK, Ended
from postroom.observe.metrics import CallMetrics
from postroom.rpc.contract import Spec
from postroom.rpc.door import Door, Incoming, Outgoing
from postroom.rpc.identity import AUTHORIZATION, values
from postroom.rpc.status import refusal_of

# A request id is the caller's text, and a request that is refused may hold a very long one.
_LONGEST_REQUEST_ID = 128


class Span(Protocol):
    """The trace of one call."""

    trace_id: str

    def end(self, ended: Ended) -> None:
        """The call has ended."""
        ...


class Tracer(Protocol):
    """Begins traces, or goes on with those that callers have begun."""

    def begin(self, spec: Spec, incoming: Incoming) -> Span:
        """A call has arrived at the door."""
        ...


class ObservedDoor:
    """Fulfils rpc.door.Door: hands every call on, and counts, logs and traces it.

    An unexpected error becomes a refusal here, so that the log has it once.
    """

    def __init__(
        self,
        door: Door,
        metrics: CallMetrics,
        log: CallLog | None = None,
        tracer: Tracer | None = None,
    ) -> None:
        self._door = door
        self.metrics = metrics
        self.log = log
        self.tracer = tracer
        # Whether anybody wants to know more of a call that was answered than its time.
        self.tells_all = tracer is not None or (log is not None and log.wants_all)

    @property
    def specs(self) -> Sequence[Spec]:
        """See Door.specs."""
        return self._door.specs

    async def call(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Message:
        """See Door.call."""
        with _Call(self, spec, request, incoming, outgoing):
            return await self._door.call(spec, request, incoming, outgoing)

    async def call_wire(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> bytes:
        """See Door.call_wire."""
        with _Call(self, spec, request, incoming, outgoing):
            return await self._door.call_wire(spec, request, incoming, outgoing)

    async def stream(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> AsyncIterator[Message]:
        """See Door.stream."""
        with _Call(self, spec, request, incoming, outgoing):
            messages = self._door.stream(spec, request, incoming, outgoing)
            async with aclosing(messages):  # type: ignore[type-var]
                async for message in messages:
                    yield message

    def turned_away(self, surface: str, code: Code, reason: str, peer: str) -> None:
        """Take note of a request that did not become a call."""
        self.metrics.turned_away(reason)
        if self.log:
            self.log.turned_away(surface, code, reason, peer)


class _Call:
    """One call while it lasts. Every call pays for what is done here."""

    __slots__ = ("_door", "_incoming", "_outgoing", "_request", "_series", "_span", "_start")

    def __init__(
        self,
        door: ObservedDoor,
        spec: Spec,
        request: Message,
        incoming: Incoming,
        outgoing: Outgoing,
    ) -> None:
        self._door = door
        self._request = request
        self._incoming = incoming
        self._outgoing = outgoing
        self._series = door.metrics.begun(spec)
        self._span = door.tracer.begin(spec, incoming) if door.tracer else None
        self._start = time.perf_counter()

    def __enter__(self) -> None:
        """The call was begun when this was made."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        seconds = time.perf_counter() - self._start
        if error is None:
            self._series.answered(seconds)
            if self._door.tells_all:
                self._tell(OK, "", "", seconds)
            return
        refusal = self._refusal(error, seconds)
        code, reason = refusal.code.name, refusal.reason
        self._door.metrics.failed(self._series, code, reason, seconds)
        self._tell(code, reason, refusal.number if isinstance(refusal, Internal) else "", seconds)
        if isinstance(error, Exception) and refusal is not error:
            raise refusal from None

    def _refusal(self, error: BaseException, seconds: float) -> Refusal:
        """The refusal that the caller is told, or would be if it were still there."""
        if isinstance(error, Exception):
            return refusal_of(error)
        left = self._incoming.time_left
        if isinstance(error, asyncio.CancelledError) and left is not None and seconds >= left:
            return Refusal("the deadline passed", Code.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED")
        return Refusal("the caller has left", Code.CANCELLED, "")

    def _tell(self, code: str, reason: str, event: str, seconds: float) -> None:
        incoming, span = self._incoming, self._span
        ended = Ended(
            self._series.spec,
            incoming.surface,
            code,
            reason,
            seconds,
            self._outgoing.caller_id,
            _key_id(incoming),
            incoming.peer,
            self._request_id(),
            event,
            span.trace_id if span else "",
        )
        if self._door.log:
            self._door.log.ended(ended)
        if span:
            span.end(ended)

    def _request_id(self) -> str:
        key = self._series.spec.request_key
        found: str = getattr(self._request, key) if key else ""
        return found[:_LONGEST_REQUEST_ID]


def _key_id(incoming: Incoming) -> str:
    for shown in values(incoming.metadata, AUTHORIZATION):
        found = token.FORM.search(shown)
        if found:
            return found[2]
    return ""
