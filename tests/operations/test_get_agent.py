"""GetAgent: one agent by its id."""

import pytest

from postroom.errors import Code
from tests.room import Room, refused


def test_every_known_caller_gets_any_agent(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo", "other")
    kid = room.agent("kid", parent_id=alfa.id)
    for caller in (alfa.id, bravo.id, kid.id, "", "operator"):
        for agent in (alfa, bravo, kid):
            assert room.call("GetAgent", caller, id=agent.id).agent == agent
    refusal = refused(lambda: room.call("GetAgent", "agt_nobody", id=alfa.id))
    assert refusal.code is Code.UNAUTHENTICATED


def test_the_operator_is_an_agent_without_a_workflow(room: Room) -> None:
    agent = room.call("GetAgent", room.agent("alfa").id, id="operator").agent
    assert (agent.id, agent.name, agent.workflow_id) == ("operator", "operator", "")
    assert not agent.HasField("parent_id")


@pytest.mark.parametrize("id", ["alfa", "agt_", "main", "wfl_1", " "])
def test_an_agent_is_got_by_its_id_only(room: Room, id: str) -> None:
    room.agent("alfa")
    refusal = refused(lambda: room.call("GetAgent", id=id))
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "AGENT_NOT_FOUND")


def test_without_an_id_it_is_the_caller(room: Room) -> None:
    alfa = room.agent("alfa", role="reviewer")
    assert room.call("GetAgent", alfa.id).agent == alfa
    assert room.call("GetAgent").agent.id == "operator"


def test_waiting_mail_is_counted_with_notices_and_without_what_was_claimed(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")

    def waiting() -> int:
        return int(room.call("GetAgent", id=bravo.id).agent.waiting)

    assert waiting() == 0
    room.send(alfa.id, bravo.id)
    room.call("RaiseReviewActivity", agent_ids=[bravo.id], review="r", file="f")
    room.send(bravo.id, alfa.id)
    assert waiting() == 2
    room.call("ReadMail", bravo.id, limit=1)
    assert waiting() == 1
    room.call("ReadMail", bravo.id)
    assert waiting() == 0
