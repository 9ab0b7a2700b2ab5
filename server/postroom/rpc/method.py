"""One method: its declaration, its rules and its operation, and the order of a call."""

import hashlib
import inspect
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from google.protobuf.message import Message

from postroom.agent import Agent
from postroom.errors import AlreadyExists, Expired
from postroom.instant import MINUTE
from postroom.office import Call, Office, StreamCall
from postroom.ports import Prove, Session
from postroom.records import Answer
from postroom.rpc.contract import Spec
from postroom.rpc.origin import Origin

Operation = Callable[..., Any]
# What an operation needs done first, outside any transaction; it is handed the result.
Prepare = Callable[[StreamCall, Any], Awaitable[Any]]
# An operation returns its response as a message, or in wire form where that is ready.
Response = Message | bytes
Ready = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """An operation that is preceded by slow work: `operation(call, request, prepared)`."""

    operation: Operation
    prepare: Prepare


@dataclass(frozen=True)
class Method:
    """A method that can be called: its declaration, its rules, its operation."""

    spec: Spec
    check: Callable[[Message], None]
    operation: Operation
    prepare: Prepare | None = None

    def call(
        self, office: Office, origin: Origin, request: Message, ready: Ready, session: Session
    ) -> Response:
        """Answer a request inside one transaction.

        The caller is proven first, then the fields are checked, then a repeated
        request_id is answered; only then the operation runs (mail.md's order). `ready`
        is what was prepared for it, in a tuple.
        """
        now = office.clock.now()
        caller = _proven(origin, session, now)
        self.check(request)
        key = self._key(request)
        if key and (stored := session.answer(caller.number, self.spec.full_name, key)):
            return _repeat(stored, request)
        call = Call(office, session, caller, self.spec.full_name, now, origin)
        response: Response = self.operation(call, request, *ready)
        self._touch(session, caller, now)
        if key:
            answer = Answer(_digest(request), wire(response))
            session.keep_answer(caller.number, self.spec.full_name, key, answer, now)
        return response

    @cached_property
    def lasts(self) -> bool:
        """Whether the operation waits for something, outside any transaction."""
        return inspect.iscoroutinefunction(self.operation)

    async def last(self, office: Office, origin: Origin, request: Message) -> Response:
        """Answer a request with an operation that waits."""
        call = await self._lasting(office, origin, request, origin.incoming.time_left)
        response: Response = await self.operation(call, request)
        return response

    async def ready(
        self, office: Office, origin: Origin, request: Message, until: float | None
    ) -> tuple[Response | None, Ready]:
        """Do what comes before a request's operation, or answer a repeat of it.

        `call` checks everything again, because much can happen meanwhile.
        """

        def repeated(session: Session) -> tuple[Agent, Response | None]:
            caller = _proven(origin, session, office.clock.now())
            self.check(request)
            key = self._key(request)
            stored = session.answer(caller.number, self.spec.full_name, key) if key else None
            return caller, _repeat(stored, request) if stored else None

        caller, answer = await office.store.perform(repeated, writes=False, until=until)
        if answer is not None or self.prepare is None:
            return answer, ()
        left = origin.incoming.time_left
        call = StreamCall(office, caller, self.spec.full_name, origin, _prove(office, origin), left)
        return None, (await self.prepare(call, request),)

    async def stream(
        self, office: Office, origin: Origin, request: Message
    ) -> AsyncGenerator[Message, None]:
        """Answer a request with messages; the operation opens its own transactions."""
        call = await self._lasting(office, origin, request, None)
        async with aclosing(self.operation(call, request)) as messages:
            async for message in messages:
                yield message

    async def _lasting(
        self, office: Office, origin: Origin, request: Message, time_left: float | None
    ) -> StreamCall:
        prove = _prove(office, origin)
        caller = await office.store.perform(prove, writes=False, until=None)
        self.check(request)
        return StreamCall(office, caller, self.spec.full_name, origin, prove, time_left)

    def _key(self, request: Message) -> str:
        """The request's key among the caller's calls of the method, '' when it has none.

        Where one caller may speak for several agents, each has keys of its own.
        """
        key: str = getattr(request, self.spec.request_key) if self.spec.request_key else ""
        if not key or not self.spec.speakers:
            return key
        speakers = json.dumps([getattr(request, name) for name in self.spec.speakers])
        return f"{key}:{hashlib.sha256(speakers.encode()).hexdigest()}"

    def _touch(self, session: Session, caller: Agent, now: int) -> None:
        # mail.md: each write counts as activity, reads at most once a minute.
        if not self.spec.reads_only or now - caller.mailbox.last_active_at >= MINUTE:
            session.touch(caller, now)


def wire(response: Response) -> bytes:
    """A response in wire form."""
    return response if isinstance(response, bytes) else response.SerializeToString()


def deadline(time_left: float | None) -> float | None:
    """When a call that has so many seconds left ends, on the monotonic clock. Raises Expired."""
    if time_left is None:
        return None
    if time_left <= 0:
        raise Expired
    return time.monotonic() + time_left


def _proven(origin: Origin, session: Session, now: int) -> Agent:
    caller = origin.identity.caller(session, now)
    origin.outgoing.caller_id = caller.id
    if origin.incoming.session and not origin.is_unnamed:
        origin.caller_session.enter(caller.id, origin.proof, origin.key_id)
    return caller


def _prove(office: Office, origin: Origin) -> Prove:
    def prove(session: Session) -> Agent:
        return _proven(origin, session, office.clock.now())

    return prove


def _repeat(stored: Answer, request: Message) -> bytes:
    if stored.digest != _digest(request):
        raise AlreadyExists(
            "this request_id was used for a different request; give each new request its own",
            "REQUEST_ID_REUSED",
        )
    return stored.response


def _digest(request: Message) -> bytes:
    return hashlib.sha256(request.SerializeToString(deterministic=True)).digest()
