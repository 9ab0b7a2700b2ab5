"""What the operator reads of messages is written down first, or not shown."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from agent.v1.agent_pb2 import Agent
from agent.v1.mail_pb2 import MAIL_DIRECTION_RECEIVED, MAIL_DIRECTION_SENT, MailboxRead
from postroom.errors import Code
from postroom.storage.failures import StoreFailure
from postroom.storage.session import Session
from postroom.storage.writing import WritingSession
from tests.operations.messages.world import Project
from tests.room import Room


@pytest.fixture
def agents(project: Project) -> dict[str, Agent]:
    """Three agents, of whom alfa has written to bravo."""
    found = {agent.name: agent for agent in project.agents("alfa", "bravo", "carol")}
    project.message("alfa", "bravo", topic="t", thread_id="x", body_md="between us")
    return found


def call(project: Project, method: str, as_: str) -> Any:
    """One read that shows something of the message."""
    (sent,) = project.inbox("bravo")
    asked: dict[str, dict[str, Any]] = {
        "FetchInbox": {"agent_name": "bravo", "include_bodies": True},
        "FetchTopic": {"agent_name": "bravo", "topic": "t", "include_bodies": True},
        "ListThreads": {"agent_name": "bravo"},
        "SearchMessages": {"agent_name": "bravo", "query": "between"},
        "GetMessage": {"message_id": sent.id},
        "FetchThread": {"thread_id": "x", "include_bodies": True},
    }
    return project.call(method, as_, **asked[method])


def reads(project: Project, agent: Agent) -> list[MailboxRead]:
    """The record of an agent's mailbox."""
    return list(project.room.call("ListMailboxReads", id=agent.id).reads)


OF_RECIPIENT = ("FetchInbox", "FetchTopic", "ListThreads", "SearchMessages")
OF_SENDER = ("GetMessage", "FetchThread")


@pytest.mark.parametrize("method", [*OF_RECIPIENT, *OF_SENDER])
def test_one_look_is_one_entry_that_says_whose_mail_and_which_side(
    project: Project, agents: dict[str, Agent], method: str
) -> None:
    assert call(project, method, "operator").ByteSize()
    owner, other = ("bravo", "alfa") if method in OF_RECIPIENT else ("alfa", "bravo")
    (read,) = reads(project, agents[owner])
    assert (read.reader_agent_id, read.agent_id) == ("operator", agents[owner].id)
    assert read.method == f"agent.v1.MessageService/{method}"
    side = MAIL_DIRECTION_RECEIVED if method in OF_RECIPIENT else MAIL_DIRECTION_SENT
    assert read.direction == side
    assert reads(project, agents[other]) == []


@pytest.mark.parametrize("method", [*OF_RECIPIENT, *OF_SENDER])
def test_ones_own_look_is_not_written_down(
    project: Project, agents: dict[str, Agent], method: str
) -> None:
    call(project, method, agents["bravo"].id)
    if method in OF_RECIPIENT:
        call(project, method, "")
    assert reads(project, agents["alfa"]) == reads(project, agents["bravo"]) == []


@pytest.mark.parametrize("method", [*OF_RECIPIENT, *OF_SENDER])
def test_where_a_look_cannot_be_written_down_nothing_is_shown(
    project: Project, agents: dict[str, Agent], method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(session: Session, read: object) -> None:
        del read
        session.writing()
        raise StoreFailure("full")

    monkeypatch.setattr(WritingSession, "record_read", full)
    refusal = project.refusal(partial(call, project, method, "operator"))
    assert (refusal.code, refusal.reason) == (Code.RESOURCE_EXHAUSTED, "AUDIT_UNAVAILABLE")
    assert "between us" not in refusal.message
    assert agents


@pytest.mark.parametrize("question", ["inbox", "topic", "threads", "found"])
def test_the_record_comes_before_the_text(
    project: Project, agents: dict[str, Agent], question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    for kind, name in ((Session, question), (WritingSession, "record_read")):
        monkeypatch.setattr(kind, name, _noting(order, name, getattr(kind, name)))
    method = OF_RECIPIENT[("inbox", "topic", "threads", "found").index(question)]
    call(project, method, "operator")
    # What is asked before the record can be written is asked again after it.
    recorded = max(at for at, name in enumerate(order) if name == "record_read")
    assert order[recorded + 1 :] == [question]
    assert agents


def _noting(order: list[str], name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def noting(*positional: Any, **named: Any) -> Any:
        order.append(name)
        return real(*positional, **named)

    return noting


def test_the_operator_sees_no_hidden_recipient(project: Project, agents: dict[str, Agent]) -> None:
    sent = project.message("alfa", "bravo", bcc=["carol"], thread_id="y")
    for caller in ("", "operator"):
        shown = project.call("GetMessage", caller, message_id=sent.id).message
        assert (list(shown.to), list(shown.bcc)) == (["bravo"], [])
        assert not shown.HasField("kind")
        (one,) = project.call("FetchThread", caller, thread_id="y").messages
        assert list(one.bcc) == []
    assert agents


def test_every_sender_of_a_page_has_an_entry(project: Project, agents: dict[str, Agent]) -> None:
    project.message("carol", "bravo", thread_id="x")
    project.message("carol", "bravo", thread_id="x")
    project.call("FetchThread", "operator", thread_id="x")
    assert [len(reads(project, agents[name])) for name in ("alfa", "carol", "bravo")] == [1, 1, 0]


def test_an_entry_counts_the_messages_that_were_shown(
    project: Project, agents: dict[str, Agent]
) -> None:
    for _ in range(3):
        project.message("carol", "bravo", thread_id="long")
    cursor = ""
    for left in (2, 1):
        asked = {"thread_id": "long", "pagination": {"limit": 2, "cursor": cursor}}
        page = project.call("FetchThread", "operator", **asked)
        assert len(page.messages) == left
        assert reads(project, agents["carol"])[0].mail_count == left
        cursor = page.next_page_token


def test_a_look_at_what_is_not_there_leaves_no_entry(
    project: Project, agents: dict[str, Agent], room: Room
) -> None:
    (sent,) = project.inbox("bravo")
    Project(room, "/other")
    for key, id in (("/unseen", sent.id), ("/other", sent.id), (project.key, "msg_x")):
        fields = {"project_key": key, "message_id": id}
        refusal = project.refusal(partial(room.call, "GetMessage", "operator", **fields))
        expected = "PROJECT_NOT_FOUND" if key == "/unseen" else "MESSAGE_NOT_FOUND"
        assert refusal.reason == expected
    assert reads(project, agents["alfa"]) == []
