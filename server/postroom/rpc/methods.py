"""The registry: each declared method joined to its operation."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from functools import partial
from importlib import import_module

from google.protobuf.message import Message

from postroom import foreign
from postroom.caller_sessions import OUTSIDE, CallerSessions
from postroom.errors import CallerUnknown
from postroom.office import Office
from postroom.rpc.contract import Contract, Spec
from postroom.rpc.door import Incoming, Outgoing
from postroom.rpc.identity import IDEMPOTENCY_KEY, IdentityMismatch, identify, values
from postroom.rpc.method import (
    Method,
    Operation,
    Prepare,
    Prepared,
    Ready,
    Response,
    deadline,
    wire,
)
from postroom.rpc.origin import Origin
from postroom.rpc.rules import checker
from postroom.rpc.throttle import Throttle


def find_operation(spec: Spec) -> Operation | Prepared:
    """The function of postroom.operations that is named like the method.

    Where its module has a coroutine function `prepare`, both.
    """
    module = import_module(f"postroom.operations.{spec.snake_name}")
    operation: Operation = getattr(module, spec.snake_name)
    prepare: Prepare | None = getattr(module, "prepare", None)
    return Prepared(operation, prepare) if inspect.iscoroutinefunction(prepare) else operation


class Registry:
    """The door to all operations of an office (see postroom.rpc.door)."""

    def __init__(
        self,
        office: Office,
        contract: Contract,
        find: Callable[[Spec], Operation | Prepared] = find_operation,
        *,
        trusted: bool = True,
        throttle: Throttle | None = None,
    ) -> None:
        self.office = office
        self._trusted = trusted
        self._throttle = throttle or Throttle()
        self._methods = {
            spec.full_name: _method(spec, checker(contract, spec.fields), find(spec))
            for spec in contract.specs
        }
        # Which agents have called in which session; surfaces open and end sessions.
        self.sessions = CallerSessions(office.clock, office.store.cursor_key)

    @property
    def specs(self) -> Sequence[Spec]:
        """Every method, in order of declaration."""
        return [method.spec for method in self._methods.values()]

    async def call(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Message:
        """Answer one request. Raises Refusal."""
        response = await self._answer(spec, request, incoming, outgoing)
        if isinstance(response, bytes):
            return spec.response_class.FromString(response)
        return response

    async def call_wire(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> bytes:
        """Answer one request in wire form. Raises Refusal."""
        return wire(await self._answer(spec, request, incoming, outgoing))

    async def stream(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> AsyncIterator[Message]:
        """Answer one request with a stream. Raises Refusal on iteration."""
        method = self._methods[spec.full_name]
        try:
            origin = self._origin(spec, request, incoming, outgoing)
            async with aclosing(method.stream(self.office, origin, request)) as messages:
                async for message in messages:
                    yield message
        except CallerUnknown as refusal:
            raise self._throttle.judged(refusal, incoming.peer) from None
        except IdentityMismatch as refusal:
            await self._note(spec, origin, refusal)
            raise

    async def _answer(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Response:
        try:
            origin = self._origin(spec, request, incoming, outgoing)
            response = await self._begin(spec, request, origin)
        except CallerUnknown as refusal:
            raise self._throttle.judged(refusal, incoming.peer) from None
        except IdentityMismatch as refusal:
            await self._note(spec, origin, refusal)
            raise
        if incoming.session:
            origin.caller_session.keep()
        return response

    async def _note(self, spec: Spec, origin: Origin, refusal: IdentityMismatch) -> None:
        """Write down that a caller tried to be somebody else."""
        proven, named_id, method = refusal.proven, refusal.named_id, spec.full_name
        await foreign.note_mismatch(self.office, origin, proven, named_id, method)

    def _begin(self, spec: Spec, request: Message, origin: Origin) -> Awaitable[Response]:
        method = self._methods[spec.full_name]
        if method.lasts:
            return method.last(self.office, origin, request)
        until = deadline(origin.incoming.time_left)
        if method.prepare is not None:
            return self._after(method, origin, request, until)
        return self._perform(method, origin, request, (), until)

    async def _after(
        self, method: Method, origin: Origin, request: Message, until: float | None
    ) -> Response:
        answer, ready = await method.ready(self.office, origin, request, until)
        if answer is not None:
            return answer
        return await self._perform(method, origin, request, ready, until)

    def _perform(
        self, method: Method, origin: Origin, request: Message, ready: Ready, until: float | None
    ) -> Awaitable[Response]:
        work = partial(method.call, self.office, origin, request, ready)
        if method.spec.reads_only:
            return foreign.read(self.office, work, until)
        return self.office.store.perform(work, writes=True, until=until)

    def _origin(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Origin:
        identity = identify(incoming.metadata, trusted=self._trusted, peer_uris=incoming.peer_uris)
        if spec.request_key and not getattr(request, spec.request_key):
            for key in values(incoming.metadata, IDEMPOTENCY_KEY)[:1]:
                setattr(request, spec.request_key, key)
        session = self.sessions.of(incoming.session) if incoming.session else OUTSIDE
        return Origin(identity, incoming, session, outgoing)


def names(specs: Iterable[Spec]) -> list[str]:
    """The services of these methods, each once."""
    return list(dict.fromkeys(spec.service for spec in specs))


def _method(spec: Spec, check: Callable[[Message], None], found: Operation | Prepared) -> Method:
    if isinstance(found, Prepared):
        return Method(spec, check, found.operation, found.prepare)
    return Method(spec, check, found)
