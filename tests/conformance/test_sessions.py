"""A session: what each of its methods promises, through the port alone."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from postroom.agent import Agent, AgentState
from postroom.mail import MailKind, Parties
from postroom.ports import Session, WriteNeeded
from postroom.records import Answer, MailboxRead
from postroom.storage.store import Store
from tests.conformance.callers import held_up
from tests.conformance.world import (
    NEVER,
    RECEIVED,
    SENT,
    add_agents,
    deliver,
    new_agent,
    numbers,
    piece,
    wires,
)
from tests.doubles import START

NO_FILTER: dict[str, Any] = {"workflow": None, "parent": None, "state": None}


@pytest.fixture
def trio(store: Store) -> list[Agent]:
    """Three agents of one workflow."""
    return add_agents(store, "alfa", "bravo", "carol")


def test_the_operator_is_there_from_the_start(store: Store) -> None:
    operator = store.read(lambda session: session.agent("operator"))
    assert operator is not None
    assert (operator.is_operator, operator.workflow, operator.created_at) == (True, None, START)
    assert store.read(lambda s: s.agents(**NO_FILTER, after=0, limit=9)) == []


def test_numbers_are_counted_by_mailbox_and_by_sender(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, carol = trio
    for id, sender, recipient in (
        ("1", alfa, bravo),
        ("2", carol, bravo),
        ("3", alfa, carol),
        ("4", alfa, bravo),
    ):
        store.write(lambda s, a=(id, sender, recipient): deliver(s, *a))  # type: ignore[misc]
    assert list(zip(numbers(store, bravo), wires(store, bravo), strict=True)) == [
        (3, "4"),
        (2, "2"),
        (1, "1"),
    ]
    assert numbers(store, alfa, SENT) == [3, 2, 1]
    assert wires(store, alfa, SENT) == ["4", "3", "1"]
    assert (numbers(store, carol), numbers(store, carol, SENT)) == ([1], [1])


def test_lock_returns_the_agents_as_they_are_in_the_order_given(
    store: Store, trio: list[Agent]
) -> None:
    alfa, bravo, carol = trio
    store.write(lambda session: deliver(session, "1", alfa, carol))

    def work(session: Session) -> list[tuple[str, int, int]]:
        locked = session.lock(carol, alfa, carol)
        return [(a.id, a.mailbox.received, a.mailbox.sent) for a in locked]

    assert store.write(work) == [(carol.id, 1, 0), (alfa.id, 0, 1), (carol.id, 1, 0)]
    assert store.write(lambda s: s.lock(bravo)[0].mailbox.received) == 0


def test_calls_of_one_batch_see_what_came_before_them(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, _ = trio

    def look(session: Session) -> tuple[int, int, Parties | None, int, int]:
        one, other = session.lock(alfa, bravo)
        return (
            one.mailbox.sent,
            other.mailbox.waiting,
            session.parties("mail_1"),
            session.exchanges(bravo, [alfa])[alfa.number],
            len(session.waiting(other, limit=9, now=START)),
        )

    with held_up(store) as held:
        looks = [held.write(look)]
        for id in ("1", "2"):
            held.write(lambda s, id_=id: deliver(s, id_, alfa, bravo))  # type: ignore[misc]
            looks.append(held.write(look))
    there = Parties(alfa.number, bravo.number)
    assert [asked.result(30) for asked in looks] == [
        (0, 0, None, 0, 0),
        (1, 1, there, 1, 1),
        (2, 2, there, 2, 2),
    ]


def test_only_counted_mail_is_counted_by_the_exchange(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, carol = trio

    def work(session: Session) -> None:
        session.lock(alfa, bravo)
        session.deliver(piece("1", alfa, bravo), b"1", counted=False)
        session.deliver(piece("2", bravo, alfa), b"2", counted=True)
        notice = piece("3", None, bravo, MailKind.EXCHANGE_CAPPED)
        session.deliver(notice, b"3", counted=False)

    store.write(work)
    counts = [(alfa, bravo), (bravo, alfa), (alfa, carol)]
    assert [store.read(lambda s, p=p: s.exchanged(*p)) for p in counts] == [1, 1, 0]  # type: ignore[misc]
    for ask in (store.read, store.write):
        assert ask(lambda s: s.exchanges(bravo, [carol, alfa])) == {
            carol.number: 0,
            alfa.number: 1,
        }
        assert ask(lambda s: s.exchanges(bravo, [])) == {}
    assert store.read(lambda s: s.parties("mail_3")) == Parties(None, bravo.number)
    assert store.read(lambda s: s.parties("mail_9")) is None


def test_waiting_mail_is_counted_by_kind_and_by_agent(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, carol = trio

    def work(session: Session) -> None:
        session.lock(alfa, bravo, carol)
        session.deliver(piece("1", alfa, bravo), b"1", counted=True)
        session.deliver(piece("2", None, bravo, MailKind.REVIEW_ACTIVITY), b"2", counted=False)
        session.deliver(piece("3", alfa, carol), b"3", counted=True)

    store.write(work)
    everybody = [bravo, carol, alfa]
    found = [store.read(lambda s, id_=a.id: s.agent(id_)) for a in everybody]  # type: ignore[misc]
    assert [agent.mailbox.waiting for agent in found if agent] == [1, 1, 0]

    def count(now: int, kind: MailKind | None = None) -> list[int]:
        counts = store.read(lambda s: s.count_waiting(everybody, now=now, kind=kind))
        return [counts[agent.number] for agent in everybody]

    assert count(START) == count(NEVER - 1) == [2, 1, 0]
    assert count(NEVER) == [0, 0, 0]
    assert count(START, MailKind.PLAIN) == [1, 1, 0]
    assert store.read(lambda s: s.count_waiting([], now=START)) == {}


def test_a_claim_marks_what_was_shown_and_counts_the_rest(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, _ = trio
    for id in "abcd":
        store.write(lambda s, id_=id: deliver(s, id_, alfa, bravo))  # type: ignore[misc]

    def work(session: Session) -> tuple[list[int], int]:
        (owner,) = session.lock(bravo)
        shown = session.waiting(owner, limit=3, now=START)
        return [number for number, _, _, _ in shown], session.claim(owner, shown, START + 7)

    assert store.write(work) == ([1, 2, 3], 1)
    pieces = store.read(lambda s: s.mail(bravo.number, RECEIVED, before=None, limit=9, now=START))
    assert [claimed_at for _, _, claimed_at, _ in pieces] == [None, *[START + 7] * 3]
    assert store.write(work) == ([4], 0)


def test_a_page_of_mail_begins_below_a_number(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, _ = trio
    for id in "abcd":
        store.write(lambda s, id_=id: deliver(s, id_, alfa, bravo))  # type: ignore[misc]
    for before, limit, expected in (
        (None, 2, [4, 3]),
        (5, 9, [4, 3, 2, 1]),
        (3, 1, [2]),
        (1, 9, []),
        (2**63 - 1, 9, [4, 3, 2, 1]),
    ):
        bounds = {"before": before, "limit": limit, "now": START}
        pieces = store.read(lambda s, b=bounds: s.mail(bravo.number, RECEIVED, **b))  # type: ignore[misc]
        assert [number for number, _, _, _ in pieces] == expected


WRITES: dict[str, Callable[[Session, Agent], object]] = {
    "lock": lambda s, a: s.lock(a),
    "add_workflow": lambda s, _: s.add_workflow("wfl_x", "x", START),
    "add_agent": lambda s, a: s.add_agent(new_agent("x", a.workflow or 0)),
    "set_state": lambda s, a: s.set_state(a, AgentState.DORMANT),
    "deliver": lambda s, a: s.deliver(piece("x", a, a), b"", counted=False),
    "recount_waiting": lambda s, a: s.recount_waiting(a, 0),
    "claim": lambda s, a: s.claim(a, [(1, b"", None, 0)], START),
    "record_read": lambda s, a: s.record_read(_look(a, a)),
    "keep_answer": lambda s, a: s.keep_answer(a.number, "m", "k", Answer(b"", b""), START),
}


@pytest.mark.parametrize("method", WRITES)
def test_a_read_that_writes_asks_to_be_begun_as_a_write(
    store: Store, trio: list[Agent], method: str
) -> None:
    with pytest.raises(WriteNeeded):
        store.read(lambda session: WRITES[method](session, trio[0]))


def _look(reader: Agent, owner: Agent) -> MailboxRead:
    return MailboxRead(
        id="read_1",
        reader=reader.number,
        reader_id=reader.id,
        owner=owner.number,
        owner_id=owner.id,
        read_at=START,
        method="Some/Method",
        direction=SENT,
    )


def test_a_read_that_turns_out_to_write_is_begun_again_as_a_write(
    store: Store, trio: list[Agent]
) -> None:
    alfa, bravo, _ = trio
    look = _look(alfa, bravo)

    def work(session: Session) -> str:
        session.record_read(look)
        return "done"

    async def perform() -> str:
        return await store.perform(work, writes=False, until=None)

    assert asyncio.run(perform()) == "done"
    (kept,) = store.read(lambda s: s.reads(bravo.number, before=None, limit=9))
    assert replace(kept, number=0) == look
    assert store.read(lambda s: s.reads(alfa.number, before=None, limit=9)) == []


def test_a_touch_in_a_read_is_done_soon_after_and_never_backwards(
    store: Store, trio: list[Agent]
) -> None:
    alfa = trio[0]
    for at, expected in ((START + 5, START + 5), (START + 3, START + 5), (START + 9, START + 9)):
        store.read(lambda session, at_=at: session.touch(alfa, at_))  # type: ignore[misc]
        store.check()
        found = store.read(lambda session: session.agent(alfa.id))
        assert found is not None
        assert found.mailbox.last_active_at == expected


def test_an_answer_is_kept_for_one_caller_method_and_key(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, _ = trio
    answer = Answer(bytes(range(256)), b"\0\1\2")
    store.write(lambda s: s.keep_answer(alfa.number, "m", "k", answer, START))
    for caller, method, key, expected in (
        (alfa, "m", "k", answer),
        (bravo, "m", "k", None),
        (alfa, "n", "k", None),
        (alfa, "m", "K", None),
    ):
        found = store.read(lambda s, a=(caller.number, method, key): s.answer(*a))  # type: ignore[misc]
        assert found == expected


def test_names_are_told_apart_by_case_when_looked_up_and_not_when_taken(
    store: Store, trio: list[Agent]
) -> None:
    own = trio[0].workflow
    assert own is not None
    assert [a.id for a in store.read(lambda s: s.live_agents_named("alfa", None))] == ["agt_alfa"]
    assert store.read(lambda s: s.live_agents_named("Alfa", own)) == []
    assert store.read(lambda s: s.name_is_taken("ALFA", own))
    assert not store.read(lambda s: s.name_is_taken("ALFA", own + 1))
    store.write(lambda s: s.set_state(s.lock(trio[0])[0], AgentState.ARCHIVED))
    assert store.read(lambda s: s.live_agents_named("alfa", None)) == []
    assert not store.read(lambda s: s.name_is_taken("alfa", own))
