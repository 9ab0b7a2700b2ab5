"""SetAgentState: who may say that an agent runs or sleeps."""

from functools import partial

import pytest

from agent.v1.agent_pb2 import AGENT_STATE_DORMANT, AGENT_STATE_RUNNING
from postroom.errors import Code
from postroom.storage.store import Store
from tests.operations.tables import contents
from tests.room import Room, refused


def test_the_agent_its_parent_and_the_operator_set_its_state(room: Room) -> None:
    boss = room.agent("boss")
    kid = room.agent("kid", parent_id=boss.id)
    room.send("", kid.id)
    for caller in (kid.id, boss.id, "", kid.id):
        for state in (AGENT_STATE_DORMANT, AGENT_STATE_RUNNING, AGENT_STATE_RUNNING):
            agent = room.call("SetAgentState", caller, id=kid.id, state=state).agent
            assert (agent.id, agent.state, agent.waiting) == (kid.id, state, 1)
            assert room.call("GetAgent", id=kid.id).agent.state == state


def test_nobody_else_may(room: Room, store: Store) -> None:
    boss, stranger = room.agent("boss"), room.agent("stranger")
    kid, sibling = (room.agent(name, parent_id=boss.id) for name in ("kid", "sibling"))
    before = contents(store)
    for caller, agent in (
        (stranger, kid.id),
        (sibling, kid.id),
        (kid, boss.id),
        (boss, "operator"),
        (boss, stranger.id),
    ):
        call = partial(room.call, "SetAgentState", caller.id, id=agent, state=2)
        refusal = refused(call)
        assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "NOT_YOUR_AGENT")
    assert contents(store) == before


def test_an_archived_agent_has_ended_for_good(room: Room) -> None:
    alfa = room.agent("alfa")
    room.call("ArchiveAgent", id=alfa.id)
    refusal = refused(lambda: room.call("SetAgentState", id=alfa.id, state=1))
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, "AGENT_ARCHIVED")
    assert [(r.type, r.name) for r in refusal.resources] == [("agent", alfa.id)]


@pytest.mark.parametrize("state", [0, 3, 4, -1])
def test_the_state_is_running_or_dormant(room: Room, state: int) -> None:
    alfa = room.agent("alfa")
    refusal = refused(lambda: room.call("SetAgentState", id=alfa.id, state=state))
    assert (refusal.code, refusal.violations[0].field) == (Code.INVALID_ARGUMENT, "state")


def test_the_operator_has_no_state_to_set(room: Room) -> None:
    refusal = refused(lambda: room.call("SetAgentState", id="operator", state=2))
    assert (refusal.code, refusal.violations[0].field) == (Code.INVALID_ARGUMENT, "id")


@pytest.mark.parametrize("id", ["alfa", "agt_none"])
def test_an_agent_is_named_by_its_id(room: Room, id: str) -> None:
    room.agent("alfa")
    refusal = refused(lambda: room.call("SetAgentState", id=id, state=2))
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "AGENT_NOT_FOUND")
