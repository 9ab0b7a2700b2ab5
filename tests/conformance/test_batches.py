"""Calls answered in one batch are answered as they would be one after another."""

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from postroom.errors import Refusal
from postroom.storage import open_store
from postroom.storage.store import Store
from tests.conformance.callers import Desk, held_up
from tests.doubles import CountingIds, ManualClock

Call = tuple[str, str, dict[str, Any]]
LIMITS = {"exchange": 4, "mailbox": 3}
CALLS = 40


@pytest.fixture
def batched(new_database: str, clock: ManualClock) -> Iterator[Store]:
    """A store of another database."""
    store = open_store(new_database, clock)
    yield store
    store.close()


@pytest.mark.parametrize("seed", range(8))
def test_a_batch_is_answered_like_its_calls_one_by_one(
    store: Store, batched: Store, clock: ManualClock, seed: int
) -> None:
    chance = random.Random(seed)
    plain, together = (Desk(s, clock, CountingIds(), **LIMITS) for s in (store, batched))
    agents = plain.agents("a", "b", "c")
    assert together.agents("a", "b", "c") == agents
    everybody = [*agents, "operator"]
    calls = [_call(chance, everybody) for _ in range(CALLS)]
    one_by_one = [_told(plain, *call) for call in calls]
    with held_up(batched) as held:
        asked = [held.write(together.work(m, a, **fields)) for m, a, fields in calls]
    at_once = [str(future.exception(30) or future.result()) for future in asked]
    assert _numbered(at_once) == _numbered(one_by_one)
    assert len(set(one_by_one)) > CALLS / 4
    assert _state(together, everybody) == _state(plain, everybody)


def _call(chance: random.Random, everybody: list[str]) -> Call:
    one, other = chance.sample(everybody, 2)
    key = {"request_id": chance.choice("kl")} if chance.random() < 0.2 else {}
    choices: list[Call] = [
        ("SendMail", one, {"to": other, "body": "x", **key}),
        ("SendMail", one, {"to": other, "body": chance.choice("xy")}),
        ("SendMail", one, {"to": chance.choice("abcz"), "body": "x"}),
        ("ReadMail", one, {"limit": chance.randint(1, 3), **key}),
        ("ListMail", one, {"id": other}),
        ("GetAgent", one, {"id": other}),
        ("SetAgentState", one, {"id": one, "state": chance.randint(1, 2)}),
        ("RaiseReviewActivity", "operator", {"agent_ids": [one], "review": "r", "file": "f"}),
        ("CreateAgent", one, {"name": chance.choice(("kid", "cub")), "workflow": "main"}),
        ("ListAgents", one, {}),
        ("ArchiveAgent", "operator", {"id": one}),
    ]
    weights = [6, 6, 2, 6, 2, 2, 2, 1, 1, 1, 0.3]
    return chance.choices(choices, weights)[0]


def _told(desk: Desk, method: str, as_: str, fields: dict[str, Any]) -> str:
    try:
        return str(desk.call(method, as_, **fields))
    except Refusal as refusal:
        return str(refusal)


def _numbered(told: list[str]) -> list[str]:
    """The same with ids renamed by the order in which they appear."""
    seen: dict[str, str] = {}

    def rename(found: re.Match[str]) -> str:
        return seen.setdefault(found[0], f"{found[1]}_{len(seen)}")

    return [re.sub(r"(agt|mail|wfl|read)_\d+", rename, each) for each in told]


def _state(desk: Desk, everybody: list[str]) -> list[str]:
    calls: list[Call] = [("ListAgents", "operator", {}), ("ListWorkflows", "operator", {})]
    for id in everybody:
        calls += [
            ("GetAgent", "operator", {"id": id}),
            ("ListMailboxReads", "operator", {"id": id}),
            ("ListMail", "operator", {"id": id}),
            ("ListMail", "operator", {"id": id, "direction": 2}),
        ]
    return _numbered([_told(desk, *call) for call in calls])
