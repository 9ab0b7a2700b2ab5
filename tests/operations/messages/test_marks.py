"""MarkMessageRead and AcknowledgeMessage: once, by a recipient, and apart from each other."""

from functools import partial

import pytest

from agent.v1.agent_pb2 import Agent
from postroom.errors import Code
from tests.doubles import ManualClock
from tests.operations.messages.world import Project

MARKS = ("MarkMessageRead", "AcknowledgeMessage")
FIRST, LATER = "2026-12-01T09:30:00.000000Z", "2026-12-01T09:31:00.000000Z"


@pytest.fixture
def sent(project: Project) -> str:
    """The id of a message from alfa to bravo, with copies to carol and, hidden, delta."""
    project.agents("alfa", "bravo", "carol", "delta", "echo")
    return str(project.message("alfa", "bravo", cc=["carol"], bcc=["delta"]).id)


def _agents(project: Project) -> dict[str, Agent]:
    return {agent.name: agent for agent in project.call("ListProjectAgents").agents}


@pytest.mark.parametrize("method", MARKS)
@pytest.mark.parametrize("who", ["bravo", "carol", "delta"])
def test_the_first_time_stays(
    project: Project, sent: str, clock: ManualClock, method: str, who: str
) -> None:
    mark = partial(project.call, method, agent_name=who, message_id=sent)
    first = mark()
    stored = project.stored()
    clock.advance(minutes=1)
    assert mark() == first
    after = project.stored()
    # That the agent is active is all that a repeat changes.
    assert {name for name in after if after[name] != stored[name]} <= {"MailboxRow"}
    field = "read_at" if method == "MarkMessageRead" else "acknowledged_at"
    assert getattr(first, field) == FIRST
    (listed,) = project.inbox(who)
    assert getattr(listed, field) == FIRST


def test_reading_and_acknowledging_are_apart(
    project: Project, sent: str, clock: ManualClock
) -> None:
    read = project.call("MarkMessageRead", agent_name="bravo", message_id=sent)
    assert not read.HasField("acknowledged_at")
    acknowledged = project.call("AcknowledgeMessage", agent_name="carol", message_id=sent)
    assert not acknowledged.HasField("read_at")
    assert project.ids("carol", unread_only=True) == [sent]
    assert project.ids("bravo", unread_only=True) == []
    clock.advance(minutes=1)
    both = project.call("AcknowledgeMessage", agent_name="bravo", message_id=sent)
    assert (both.read_at, both.acknowledged_at) == (FIRST, LATER)
    both = project.call("MarkMessageRead", agent_name="carol", message_id=sent)
    assert (both.read_at, both.acknowledged_at) == (LATER, FIRST)


@pytest.mark.parametrize("method", MARKS)
def test_one_recipients_mark_is_not_anothers(project: Project, sent: str, method: str) -> None:
    project.call(method, agent_name="bravo", message_id=sent)
    field = "read_at" if method == "MarkMessageRead" else "acknowledged_at"
    for who in ("carol", "delta"):
        assert not project.inbox(who)[0].HasField(field)
    shown = project.call("GetMessage", _agents(project)["alfa"].id, message_id=sent).message
    assert not shown.HasField(field)


@pytest.mark.parametrize("method", MARKS)
@pytest.mark.parametrize("who", ["alfa", "echo"])
def test_only_a_recipient_can_mark(project: Project, sent: str, method: str, who: str) -> None:
    call = partial(project.call, method, agent_name=who, message_id=sent)
    refusal = project.refusal(call)
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "MESSAGE_NOT_FOUND")
    unseen = partial(project.call, method, agent_name="bravo", message_id="msg_unseen")
    assert project.refusal(unseen).message == refusal.message.replace(sent, "msg_unseen")


@pytest.mark.parametrize("method", MARKS)
def test_the_id_of_a_copy_is_no_id_of_a_message(project: Project, sent: str, method: str) -> None:
    assert sent
    (listed,) = project.inbox("bravo")
    call = partial(project.call, method, agent_name="bravo", message_id=listed.mail_id)
    assert project.refusal(call).reason == "MESSAGE_NOT_FOUND"


@pytest.mark.parametrize("method", MARKS)
def test_a_message_can_be_marked_that_asked_for_no_acknowledgement(
    project: Project, sent: str, method: str
) -> None:
    assert not project.inbox("bravo")[0].ack_required
    project.call(method, agent_name="bravo", message_id=sent)
