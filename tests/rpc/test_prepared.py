"""Operations with slow work before them, keys by speaker, and what is known of callers."""

import asyncio
from typing import Any

import pytest

from postroom.errors import Code, Forbidden, Refusal
from postroom.office import Call, StreamCall
from postroom.rpc.door import Incoming, Outgoing
from postroom.rpc.method import Prepared
from postroom.rpc.methods import Registry
from tests.rpc.test_registry import FINE, STAMP, FakeStore, _ask, _counting, _registry

ALFA = (("postroom-agent-id", "agt_1"),)


@pytest.fixture
def fake() -> FakeStore:
    return FakeStore()


class _Slow:
    """An operation that stamps with what was prepared; counts both."""

    def __init__(self, refusal: Refusal | None = None) -> None:
        self.prepared: list[tuple[str, Any]] = []
        self.run: list[tuple[str, int]] = []
        self._refusal = refusal

    async def prepare(self, call: StreamCall, request: Any) -> int:
        await asyncio.sleep(0)
        self.prepared.append((call.caller.id, request.title))
        if self._refusal:
            raise self._refusal
        return 40 + len(self.prepared)

    def operation(self, call: Call, request: Any, ready: int) -> Any:
        self.run.append((call.caller.id, ready))
        del request
        return STAMP.response_class(count=ready)


def _slow(fake: FakeStore, slow: _Slow) -> Registry:
    registry: Registry = _registry(fake, Prepared(slow.operation, slow.prepare))  # type: ignore[arg-type]
    return registry


def test_what_was_prepared_is_handed_to_the_operation_in_its_transaction(fake: FakeStore) -> None:
    slow = _Slow()
    assert _ask(_slow(fake, slow), metadata=ALFA).count == 41
    assert slow.prepared == [("agt_1", "x")]
    assert slow.run == [("agt_1", 41)]
    assert [writes for writes, _ in fake.asked] == [False, True]


def test_nothing_is_prepared_for_a_caller_or_a_request_that_is_refused(fake: FakeStore) -> None:
    slow = _Slow()
    for fields, code in (
        ({"metadata": (("postroom-agent-id", "agt_9"),)}, Code.UNAUTHENTICATED),
        ({"title": ""}, Code.INVALID_ARGUMENT),
    ):
        with pytest.raises(Refusal) as refusal:
            _ask(_slow(fake, slow), **fields)
        assert refusal.value.code is code
    assert (slow.prepared, slow.run) == ([], [])


def test_a_refusal_of_the_preparation_is_the_calls(fake: FakeStore) -> None:
    slow = _Slow(Forbidden("no", "NO"))
    with pytest.raises(Refusal) as refusal:
        _ask(_slow(fake, slow))
    assert refusal.value.reason == "NO"
    assert slow.run == []
    assert fake.touched == []


def test_a_repeat_is_answered_without_preparing_again(fake: FakeStore) -> None:
    slow = _Slow()
    registry = _slow(fake, slow)
    assert [_ask(registry, key="a").count for _ in range(3)] == [41, 41, 41]
    assert len(slow.prepared) == len(slow.run) == 1
    with pytest.raises(Refusal) as refusal:
        _ask(registry, key="a", title="y")
    assert refusal.value.reason == "REQUEST_ID_REUSED"
    assert len(slow.prepared) == 1


def test_a_repeat_that_was_answered_meanwhile_is_answered_once(fake: FakeStore) -> None:
    slow = _Slow()
    registry = _slow(fake, slow)

    async def twice() -> list[int]:
        calls = (registry.call(STAMP, _request(key="a"), Incoming(), Outgoing()) for _ in range(2))
        return [answer.count for answer in await asyncio.gather(*calls)]  # type: ignore[attr-defined]

    assert len(set(asyncio.run(twice()))) == 1
    assert (len(slow.prepared), len(slow.run)) == (2, 1)


def test_keys_of_two_agents_that_one_caller_speaks_as_do_not_meet(fake: FakeStore) -> None:
    operation, calls = _counting()
    registry = _registry(fake, operation)
    speakers = [("", ""), ("a", "b"), ("a", "c"), ("ab", ""), ("", "ab"), ("a", "b")]
    found = [_ask(registry, key="k", team=team, writer=writer).count for team, writer in speakers]
    assert found == [1, 2, 3, 4, 5, 2]
    assert len(calls) == 5
    with pytest.raises(Refusal):
        _ask(registry, key="k", team="a", writer="b", title="y")


@pytest.mark.parametrize(
    ("metadata", "is_unnamed"),
    [((), True), ((("postroom-agent-id", "operator"),), False), (ALFA, False)],
)
def test_the_operation_knows_whether_the_caller_named_anybody(
    fake: FakeStore, metadata: Any, is_unnamed: bool
) -> None:
    operation, calls = _counting()
    _ask(_registry(fake, operation), metadata=metadata)
    assert calls[0].is_unnamed is is_unnamed


SESSION = "s" * 40


def _in_session(
    registry: Registry, session: str = SESSION, metadata: Any = ALFA, **fields: Any
) -> Any:
    incoming = Incoming(metadata, session=session)
    return asyncio.run(registry.call(STAMP, _request(**fields), incoming, Outgoing()))


def _request(**fields: Any) -> Any:
    return STAMP.request_class(**(FINE | fields))


def _is_in(call: Any, agent_id: str) -> bool:
    return call.caller_session.entry(agent_id) is not None


def test_who_calls_in_a_session_is_in_it_and_nobody_else(fake: FakeStore) -> None:
    seen: list[list[bool]] = []

    def operation(call: Call, _: Any) -> Any:
        seen.append([_is_in(call, id) for id in ("agt_1", "operator")])
        return STAMP.response_class()

    registry = _registry(fake, operation)
    _in_session(registry, metadata=())
    _in_session(registry)
    _in_session(registry, metadata=())
    _in_session(registry, "t" * 40, metadata=())
    _in_session(registry, "", metadata=())
    # The operator by default has named nobody, so nobody was proven.
    here, elsewhere = [True, False], [False, False]
    assert seen == [elsewhere, here, here, elsewhere, elsewhere]


def test_whom_a_call_admits_is_in_the_session_once_it_has_succeeded(fake: FakeStore) -> None:
    seen: list[bool] = []

    def operation(call: Call, request: Any) -> Any:
        seen.append(_is_in(call, "agt_2"))
        call.caller_session.admit("agt_2")
        seen.append(_is_in(call, "agt_2"))
        if request.title == "bad":
            raise Forbidden("no", "NO")
        return STAMP.response_class()

    registry = _registry(fake, operation)
    with pytest.raises(Refusal):
        _in_session(registry, title="bad")
    for session in (SESSION, SESSION, ""):
        _in_session(registry, session)
    assert seen == [False, True, False, True, True, True, False, False]


def test_a_preparation_knows_the_session_too(fake: FakeStore) -> None:
    known: list[tuple[bool, bool]] = []

    async def prepare(call: StreamCall, _: Any) -> None:
        known.append((_is_in(call, "agt_1"), call.is_local))

    operation = Prepared(lambda *_: STAMP.response_class(), prepare)
    _in_session(_registry(fake, operation))  # type: ignore[arg-type]
    assert known == [(True, True)]
