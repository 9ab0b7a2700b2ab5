"""The registry: each declared method joined to its operation."""

import hashlib
import inspect
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from typing import Any

from google.protobuf.message import Message

from postroom import foreign
from postroom.agent import Agent
from postroom.errors import AlreadyExists, CallerUnknown, Expired
from postroom.instant import MINUTE
from postroom.office import Call, Office, StreamCall
from postroom.ports import Session
from postroom.records import Answer
from postroom.rpc.contract import Contract, Spec
from postroom.rpc.door import Incoming, Outgoing
from postroom.rpc.identity import (
    IDEMPOTENCY_KEY,
    Identity,
    IdentityMismatch,
    identify,
    values,
)
from postroom.rpc.rules import checker
from postroom.rpc.throttle import Throttle

Operation = Callable[..., Any]
# An operation returns its response as a message, or in wire form where that is ready.
Response = Message | bytes


def find_operation(spec: Spec) -> Operation:
    """The function of postroom.operations that is named like the method."""
    module = import_module(f"postroom.operations.{spec.snake_name}")
    operation: Operation = getattr(module, spec.snake_name)
    return operation


@dataclass(frozen=True)
class Method:
    """A method that can be called: its declaration, its rules, its operation."""

    spec: Spec
    check: Callable[[Message], None]
    operation: Operation

    def call(
        self, office: Office, identity: Identity, request: Message, session: Session
    ) -> Response:
        """Answer a request inside one transaction.

        The caller is proven first, then the fields are checked, then a repeated
        request_id is answered; only then the operation runs (mail.md's order).
        """
        now = office.clock.now()
        caller = identity.caller(session, now)
        self.check(request)
        key = getattr(request, self.spec.request_key) if self.spec.request_key else ""
        if key and (stored := session.answer(caller.number, self.spec.full_name, key)):
            return _repeat(stored, request)
        call = Call(office, session, caller, self.spec.full_name, now, identity)
        response: Response = self.operation(call, request)
        self._touch(session, caller, now)
        if key:
            answer = Answer(_digest(request), _wire(response))
            session.keep_answer(caller.number, self.spec.full_name, key, answer, now)
        return response

    @cached_property
    def lasts(self) -> bool:
        """Whether the operation waits for something, outside any transaction."""
        return inspect.iscoroutinefunction(self.operation)

    async def last(
        self, office: Office, identity: Identity, request: Message, time_left: float | None
    ) -> Response:
        """Answer a request with an operation that waits."""
        call = await self._lasting(office, identity, request, time_left)
        response: Response = await self.operation(call, request)
        return response

    async def stream(
        self, office: Office, identity: Identity, request: Message
    ) -> AsyncGenerator[Message, None]:
        """Answer a request with messages; the operation opens its own transactions."""
        call = await self._lasting(office, identity, request, None)
        async with aclosing(self.operation(call, request)) as messages:
            async for message in messages:
                yield message

    async def _lasting(
        self, office: Office, identity: Identity, request: Message, time_left: float | None
    ) -> StreamCall:
        def prove(session: Session) -> Agent:
            return identity.caller(session, office.clock.now())

        caller = await office.store.perform(prove, writes=False, until=None)
        self.check(request)
        return StreamCall(office, caller, self.spec.full_name, identity, prove, time_left)

    def _touch(self, session: Session, caller: Agent, now: int) -> None:
        # mail.md: each write counts as activity, reads at most once a minute.
        if not self.spec.reads_only or now - caller.mailbox.last_active_at >= MINUTE:
            session.touch(caller, now)


class Registry:
    """The door to all operations of an office (see postroom.rpc.door)."""

    def __init__(
        self,
        office: Office,
        contract: Contract,
        find: Callable[[Spec], Operation] = find_operation,
        *,
        trusted: bool = True,
        throttle: Throttle | None = None,
    ) -> None:
        self.office = office
        self._trusted = trusted
        self._throttle = throttle or Throttle()
        self._methods = {
            spec.full_name: Method(spec, checker(contract, spec.fields), find(spec))
            for spec in contract.specs
        }

    @property
    def specs(self) -> Sequence[Spec]:
        """Every method, in order of declaration."""
        return [method.spec for method in self._methods.values()]

    async def call(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> Message:
        """Answer one request. Raises Refusal."""
        del outgoing
        response = await self._answer(spec, request, incoming)
        if isinstance(response, bytes):
            return spec.response_class.FromString(response)
        return response

    async def call_wire(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> bytes:
        """Answer one request in wire form. Raises Refusal."""
        del outgoing
        return _wire(await self._answer(spec, request, incoming))

    async def stream(
        self, spec: Spec, request: Message, incoming: Incoming, outgoing: Outgoing
    ) -> AsyncIterator[Message]:
        """Answer one request with a stream. Raises Refusal on iteration."""
        del outgoing
        method = self._methods[spec.full_name]
        try:
            identity = self._prepare(spec, request, incoming)
            async with aclosing(method.stream(self.office, identity, request)) as messages:
                async for message in messages:
                    yield message
        except CallerUnknown as refusal:
            raise self._throttle.judged(refusal, incoming.peer) from None
        except IdentityMismatch as refusal:
            await self._note(spec, incoming, refusal)
            raise

    async def _answer(self, spec: Spec, request: Message, incoming: Incoming) -> Response:
        try:
            return await self._begin(spec, request, incoming)
        except CallerUnknown as refusal:
            raise self._throttle.judged(refusal, incoming.peer) from None
        except IdentityMismatch as refusal:
            await self._note(spec, incoming, refusal)
            raise

    async def _note(self, spec: Spec, incoming: Incoming, refusal: IdentityMismatch) -> None:
        """Write down that a caller tried to be somebody else."""
        identity = self._identify(incoming)
        proven, named_id, method = refusal.proven, refusal.named_id, spec.full_name
        await foreign.note_mismatch(self.office, identity, proven, named_id, method)

    def _begin(self, spec: Spec, request: Message, incoming: Incoming) -> Awaitable[Response]:
        method = self._methods[spec.full_name]
        identity = self._prepare(spec, request, incoming)
        if method.lasts:
            return method.last(self.office, identity, request, incoming.time_left)
        work = partial(method.call, self.office, identity, request)
        until = _until(incoming.time_left)
        if spec.reads_only:
            return foreign.read(self.office, work, until)
        return self.office.store.perform(work, writes=True, until=until)

    def _prepare(self, spec: Spec, request: Message, incoming: Incoming) -> Identity:
        if spec.request_key and not getattr(request, spec.request_key):
            for key in values(incoming.metadata, IDEMPOTENCY_KEY)[:1]:
                setattr(request, spec.request_key, key)
        return self._identify(incoming)

    def _identify(self, incoming: Incoming) -> Identity:
        return identify(
            incoming.metadata,
            trusted=self._trusted,
            peer_uris=incoming.peer_uris,
            peer=incoming.peer,
            surface=incoming.surface,
        )


def names(specs: Iterable[Spec]) -> list[str]:
    """The services of these methods, each once."""
    return list(dict.fromkeys(spec.service for spec in specs))


def _until(time_left: float | None) -> float | None:
    if time_left is None:
        return None
    if time_left <= 0:
        raise Expired
    return time.monotonic() + time_left


def _repeat(stored: Answer, request: Message) -> bytes:
    if stored.digest != _digest(request):
        raise AlreadyExists(
            "this request_id was used for a different request; give each new request its own",
            "REQUEST_ID_REUSED",
        )
    return stored.response


def _wire(response: Response) -> bytes:
    return response if isinstance(response, bytes) else response.SerializeToString()


def _digest(request: Message) -> bytes:
    return hashlib.sha256(request.SerializeToString(deterministic=True)).digest()
