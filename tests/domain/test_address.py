"""Which agent an address means, told without a database."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import pytest

from postroom.address import resolve
from postroom.agent import Agent
from tests.domain.people import OPERATOR, agent
from tests.room import refused

if TYPE_CHECKING:
    from postroom.ports import Session


class People:
    """The part of a session that knows agents."""

    def __init__(self, *agents: Agent) -> None:
        self._agents = agents

    def agent(self, id: str) -> Agent | None:
        return next((agent for agent in self._agents if agent.id == id), None)

    def live_agents_named(self, name: str, workflow: int | None) -> Sequence[Agent]:
        named = [agent for agent in self._agents if agent.name == name]
        return [agent for agent in named if workflow in (None, agent.workflow)]

    def agents(self, **filters: object) -> Sequence[Agent]:
        return [agent for agent in self._agents if agent.workflow == filters["workflow"]]


ALFA = agent(1, "alfa")
NEAR, FAR, FARTHER = agent(2, "bravo"), agent(3, "bravo", workflow=2), agent(4, "bravo", workflow=3)
ONLY = agent(5, "carol", workflow=3)


def _resolve(address: str, *agents: Agent, caller: Agent = ALFA) -> Agent:
    return resolve(cast("Session", People(*agents)), caller, address)


def test_an_id_goes_before_every_name() -> None:
    named_like_an_id = agent(6, "agt_2")
    assert _resolve("agt_2", named_like_an_id, NEAR) is NEAR


def test_what_looks_like_an_id_is_never_a_name() -> None:
    for prefix in ("agt_", "mail_", "wfl_", "msg_"):
        refusal = refused(lambda p=prefix: _resolve(f"{p}x", agent(6, f"{p}x")))  # type: ignore[misc]
        assert refusal.reason == "AGENT_NOT_FOUND"
    assert refused(lambda: _resolve("operator", agent(6, "operator"))).reason == "AGENT_NOT_FOUND"
    assert _resolve("operator", OPERATOR) is OPERATOR


def test_the_callers_own_workflow_goes_before_the_others() -> None:
    assert _resolve("bravo", FAR, FARTHER, NEAR) is NEAR
    assert _resolve("carol", FAR, ONLY) is ONLY


def test_several_holders_elsewhere_are_all_listed() -> None:
    refusal = refused(lambda: _resolve("bravo", FAR, FARTHER))
    assert refusal.reason == "NAME_AMBIGUOUS"
    assert [resource.name for resource in refusal.resources] == ["agt_3", "agt_4"]
    assert [resource.description for resource in refusal.resources] == [
        "workflow wfl_2",
        "workflow wfl_3",
    ]


def test_the_operator_has_no_workflow_of_its_own() -> None:
    assert _resolve("carol", ONLY, caller=OPERATOR) is ONLY
    refusal = refused(lambda: _resolve("bravo", NEAR, FAR, caller=OPERATOR))
    assert refusal.reason == "NAME_AMBIGUOUS"
    assert "did you mean" not in refused(lambda: _resolve("bravp", NEAR, caller=OPERATOR)).message


@pytest.mark.parametrize(
    ("misspelt", "suggested"),
    [("bravp", "bravo"), ("Bravo", "bravo"), ("bravo ", "bravo"), ("zzz", ""), ("x" * 9_999, "")],
    ids=["one letter", "case", "space", "nothing like it", "very long"],
)
def test_names_like_the_one_given_are_suggested(misspelt: str, suggested: str) -> None:
    message = refused(lambda: _resolve(misspelt, ALFA, NEAR, ONLY)).message
    assert ("did you mean bravo?" in message) is bool(suggested)
    assert ("did you mean" in message) is bool(suggested)


def test_a_refusal_never_repeats_a_long_address_whole() -> None:
    for address in ("x" * 1_000_000, "agt_" + "x" * 1_000_000):
        refusal = refused(lambda text=address: _resolve(text, ALFA))  # type: ignore[misc]
        told = [refusal.message, *(r.name + r.description for r in refusal.resources)]
        assert max(map(len, told)) < 1_000
