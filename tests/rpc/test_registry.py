"""The registry: methods are joined to operations, and calls go in one order."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from google.protobuf.message import Message

from postroom import operations
from postroom.agent import Agent
from postroom.errors import Code, Expired, Refusal, invalid
from postroom.mailbox import Mailbox
from postroom.office import Call, Limits, Office, StreamCall
from postroom.page import Cursors
from postroom.ports import Session, Store
from postroom.records import Answer
from postroom.rpc.contract import Spec
from postroom.rpc.door import Incoming, Outgoing
from postroom.rpc.method import Operation, Prepared
from postroom.rpc.methods import Registry, find_operation, names
from tests.domain.people import OPERATOR, agent
from tests.doubles import START, CountingIds, ManualClock
from tests.room import CONTRACT as REAL
from tests.rpc.scripted import contract

CONTRACT = contract()
STAMP, READ, WATCH = CONTRACT.specs
FINE: dict[str, Any] = {"title": "x", "first": {}, "tags": ["x"], "count": 2}


class FakeStore:
    """Runs works at once on a session that knows two agents; remembers how it was asked."""

    cursor_key = b"key"

    def __init__(self) -> None:
        self.asked: list[tuple[bool, float | None]] = []
        self.answers: dict[tuple[int, str, str], Answer] = {}
        self.touched: list[tuple[str, int]] = []
        self.alfa = agent(1, "alfa", mailbox=Mailbox(last_active_at=START))

    def perform(
        self, work: Callable[[Session], Any], *, writes: bool, until: float | None
    ) -> asyncio.Future[Any]:
        self.asked.append((writes, until))
        reply = asyncio.get_running_loop().create_future()
        try:
            reply.set_result(work(cast("Session", self)))
        except Exception as error:
            reply.set_exception(error)
        return reply

    def agent(self, id: str) -> Agent | None:
        return {"operator": OPERATOR, "agt_1": self.alfa}.get(id)

    def answer(self, caller: int, method: str, key: str) -> Answer | None:
        return self.answers.get((caller, method, key))

    def keep_answer(self, caller: int, method: str, key: str, answer: Answer, at: int) -> None:
        assert at == START
        self.answers[caller, method, key] = answer

    def touch(self, agent: Agent, at: int) -> None:
        self.touched.append((agent.id, at))


@pytest.fixture
def fake() -> FakeStore:
    return FakeStore()


def _registry(fake: FakeStore, operation: Operation) -> Registry:
    clock = ManualClock()
    office = Office(
        store=cast("Store", fake),
        clock=clock,
        ids=CountingIds(),
        cursors=Cursors(b"key"),
        limits=Limits(),
    )
    return Registry(office, CONTRACT, lambda _: operation)


def _ask(registry: Registry, spec: Spec = STAMP, **fields: Any) -> Any:
    time_left = fields.pop("time_left", None)
    metadata = fields.pop("metadata", ())
    request = spec.request_class(**(FINE | fields))
    incoming = Incoming(metadata, time_left)
    return asyncio.run(registry.call(spec, request, incoming, Outgoing()))


def _counting(spec: Spec = STAMP) -> tuple[Operation, list[Call]]:
    calls: list[Call] = []

    def operation(call: Call, request: Message) -> Message:
        assert isinstance(request, spec.request_class)
        calls.append(call)
        return spec.response_class(count=len(calls))

    return operation, calls


def test_every_declared_method_has_its_operation() -> None:
    for spec in REAL.specs:
        found = find_operation(spec)
        operation = found.operation if isinstance(found, Prepared) else found
        assert operation.__module__ == f"{operations.__name__}.{spec.snake_name}"
        assert operation.__name__ == spec.snake_name


def test_a_method_without_an_operation_is_noticed_when_the_registry_is_made() -> None:
    with pytest.raises(ModuleNotFoundError, match="stamp_letter"):
        Registry(cast("Office", SimpleNamespace()), CONTRACT)


def test_the_operation_is_told_who_calls_what_and_when(fake: FakeStore) -> None:
    operation, calls = _counting()
    answer = _ask(_registry(fake, operation), metadata=(("postroom-agent-id", "agt_1"),))
    assert answer.count == 1
    (call,) = calls
    assert (call.caller.id, call.method, call.now) == ("agt_1", "post.Post/StampLetter", START)
    assert call.office.store is fake  # type: ignore[comparison-overlap]


def test_the_store_is_told_whether_a_method_writes_and_until_when(fake: FakeStore) -> None:
    operation, _ = _counting()
    registry = _registry(fake, operation)
    before = time.monotonic()
    _ask(registry, time_left=5.0)
    _ask(registry, READ)
    ((writes, until), read) = fake.asked
    assert writes is True
    assert until is not None
    assert before + 5 <= until <= time.monotonic() + 5
    assert read == (False, None)


@pytest.mark.parametrize("time_left", [0.0, -1.0])
def test_a_call_whose_deadline_has_passed_is_not_begun(fake: FakeStore, time_left: float) -> None:
    operation, calls = _counting()
    with pytest.raises(Expired) as refusal:
        _ask(_registry(fake, operation), time_left=time_left)
    assert refusal.value.code is Code.DEADLINE_EXCEEDED
    assert (calls, fake.asked) == ([], [])


def test_the_caller_is_proven_before_the_fields_are_checked(fake: FakeStore) -> None:
    operation, calls = _counting()
    registry = _registry(fake, operation)
    with pytest.raises(Refusal) as refusal:
        _ask(registry, title="", metadata=(("postroom-agent-id", "agt_9"),))
    assert refusal.value.code is Code.UNAUTHENTICATED
    with pytest.raises(Refusal) as refusal:
        _ask(registry, title="")
    assert refusal.value.code is Code.INVALID_ARGUMENT
    assert not calls


def test_a_repeat_is_answered_without_the_operation(fake: FakeStore) -> None:
    operation, calls = _counting()
    registry = _registry(fake, operation)
    assert [_ask(registry, key=key).count for key in ("a", "a", "b", "a", "")] == [1, 1, 2, 1, 3]
    assert len(calls) == 3
    assert len(fake.touched) == 3
    with pytest.raises(Refusal) as refusal:
        _ask(registry, key="a", title="y")
    assert (refusal.value.code, refusal.value.reason) == (Code.ALREADY_EXISTS, "REQUEST_ID_REUSED")


def test_an_operation_may_answer_in_wire_form(fake: FakeStore) -> None:
    wire = STAMP.response_class(count=7).SerializeToString()
    registry = _registry(fake, lambda *_: wire)
    request = STAMP.request_class(**(FINE | {"key": "a"}))
    for _ in range(2):
        call = registry.call_wire(STAMP, request, Incoming(), Outgoing())
        assert asyncio.run(call) == wire
        assert _ask(registry, key="a").count == 7
    operation, _ = _counting()
    plain = _registry(fake, operation)
    call = plain.call_wire(STAMP, STAMP.request_class(**FINE), Incoming(), Outgoing())
    assert asyncio.run(call) == STAMP.response_class(count=1).SerializeToString()


def test_a_refused_operation_keeps_no_answer_and_is_no_activity(fake: FakeStore) -> None:
    def operation(call: Call, request: Message) -> Message:
        raise invalid("title", f"no {call} {request}")

    with pytest.raises(Refusal):
        _ask(_registry(fake, operation), key="a")
    assert (fake.answers, fake.touched) == ({}, [])


@pytest.mark.parametrize(
    ("spec", "idle", "is_touched"),
    [(STAMP, 0, True), (READ, 59_999_999, False), (READ, 60_000_000, True)],
)
def test_each_write_is_activity_and_a_read_once_a_minute(
    fake: FakeStore, spec: Spec, idle: int, is_touched: bool
) -> None:
    fake.alfa = agent(1, "alfa", mailbox=Mailbox(last_active_at=START - idle))
    operation, _ = _counting(spec)
    _ask(_registry(fake, operation), spec, metadata=(("postroom-agent-id", "agt_1"),))
    assert fake.touched == ([("agt_1", START)] if is_touched else [])


def test_a_streaming_method_is_joined_to_its_operation(fake: FakeStore) -> None:
    seen: list[tuple[object, str]] = []

    async def operation(call: StreamCall, request: Message) -> AsyncIterator[Message]:
        seen.append((call.office, call.caller.id))
        for count in range(request.count):  # type: ignore[attr-defined]
            yield WATCH.response_class(count=count)

    registry = _registry(fake, operation)
    request = WATCH.request_class(**(FINE | {"count": 3}))
    assert asyncio.run(_collect(registry, request, "agt_1")) == [0, 1, 2]
    assert seen == [(registry.office, "agt_1")]


async def _collect(registry: Registry, request: Message, agent_id: str) -> list[int]:
    incoming = Incoming((("postroom-agent-id", agent_id),))
    stream = registry.stream(WATCH, request, incoming, Outgoing())
    return [message.count async for message in stream]  # type: ignore[attr-defined]


def test_a_stream_is_refused_on_iteration_like_a_call(fake: FakeStore) -> None:
    async def operation(*_: object) -> AsyncIterator[Message]:
        raise AssertionError
        yield WATCH.response_class()

    registry = _registry(fake, operation)
    for agent_id, fields, code in (
        ("agt_9", FINE | {"title": ""}, Code.UNAUTHENTICATED),
        ("agt_1", FINE | {"title": ""}, Code.INVALID_ARGUMENT),
    ):
        request = WATCH.request_class(**fields)
        with pytest.raises(Refusal) as refusal:
            asyncio.run(_collect(registry, request, agent_id))
        assert refusal.value.code is code


def test_the_registry_lists_its_methods_in_order(fake: FakeStore) -> None:
    operation, _ = _counting()
    registry = _registry(fake, operation)
    assert [spec.name for spec in registry.specs] == ["StampLetter", "ReadLetter", "WatchPost"]
    assert names(registry.specs) == ["post.Post"]
    services = ["agent.v1.AgentService", "agent.v1.MessageService"]
    assert names([*REAL.specs, *registry.specs]) == [*services, "post.Post"]
