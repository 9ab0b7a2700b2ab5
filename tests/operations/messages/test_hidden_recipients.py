"""Bcc: the sender knows all of it, a hidden recipient itself alone, and nobody else anything.

Two post rooms are compared: in one, messages have hidden recipients, in the other they have
none. Whatever anybody else asks, the answers are the same in both.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToJson

from postroom.errors import Refusal
from postroom.storage import open_store
from tests.doubles import CountingIds, ManualClock
from tests.operations.messages.world import Project
from tests.operations.watched import Watched
from tests.room import Room

NAMES = ("alfa", "bravo", "carol", "hidden-one", "hidden-two")
HIDDEN = NAMES[3:]
TEXT = {"topic": "t", "thread_id": "x", "subject": "the plan", "body_md": "needle in it"}
SIDES = ("MAIL_DIRECTION_RECEIVED", "MAIL_DIRECTION_SENT")
Asked = list[tuple[str, dict[str, Any]]]


def build(room: Room, *, hides: bool) -> Project:
    """A project in which alfa has written to bravo and carol, and an agent of another."""
    project = Project(room)
    project.agents(*NAMES)
    Project(room, "/other").register("outsider")
    bcc = list(HIDDEN) if hides else []
    one = project.message("alfa", "bravo", cc=["carol"], bcc=bcc, **TEXT)
    project.reply("bravo", one.id, cc=["carol"], body="needle again")
    two = project.message("alfa", "bravo", bcc=bcc[:1], **TEXT | {"thread_id": "y"})
    project.reply("alfa", two.id)
    return project


@pytest.fixture
def both(room: Room, tmp_path: Path) -> Iterator[tuple[Project, Project]]:
    """The post room with hidden recipients, on each store, and one without."""
    store = open_store(f"sqlite:///{tmp_path / 'other.db'}", room.office.clock)
    other = Room(store, room.office.clock, CountingIds())
    yield build(room, hides=True), build(other, hides=False)
    other.close()
    store.close()


def ids(project: Project) -> dict[str, str]:
    """The agents' ids by name; the same in both rooms."""
    return {agent.name: agent.id for agent in project.room.call("ListAgents").agents}


def everything(project: Project, viewer: str) -> Asked:
    """Everything that somebody can ask about messages and mail, in its own name."""
    words = ("needle", *HIDDEN, "hidden", "one", "p6")
    sent = [one.id for one in project.inbox("bravo")]
    one_row = {"pagination": {"limit": 1}}
    asked: Asked = [
        ("FetchInbox", {"agent_name": viewer, "include_bodies": True}),
        ("FetchInbox", {"agent_name": viewer} | one_row),
        ("FetchTopic", {"agent_name": viewer, "topic": "t"}),
        ("ListThreads", {"agent_name": viewer}),
        ("ListContacts", {"agent_name": viewer}),
        *(("SearchMessages", {"agent_name": viewer, "query": word}) for word in words),
        *(("GetMessage", {"message_id": id}) for id in sent),
        *(("FetchThread", {"thread_id": id, "include_bodies": True}) for id in ("x", "y", "z")),
        *(("MarkMessageRead", {"agent_name": viewer, "message_id": id}) for id in sent),
        *(("AcknowledgeMessage", {"agent_name": viewer, "message_id": id}) for id in sent),
        *(("FetchInbox", {"agent_name": name}) for name in NAMES if name != viewer),
    ]
    asked = [(method, {"project_key": project.key} | fields) for method, fields in asked]
    for id in ids(project).values():
        for side in SIDES:
            asked += [("ListMail", {"id": id, "direction": side} | more) for more in ({}, one_row)]
    # Last, because they leave notices.
    given = {"project_key": project.key, "from_agent": viewer}
    return asked + [("RequestContact", given | {"to_agent": name}) for name in HIDDEN]


def told(project: Project, viewer: str) -> list[str]:
    """Every answer and refusal, as text."""
    as_ = ids(project).get(viewer, viewer)
    answers = []
    for method, fields in everything(project, viewer):
        try:
            answer = project.room.call(method, as_, **fields)
            # A cursor is signed with its own room's key.
            if getattr(answer, "next_page_token", ""):
                answer.next_page_token = "more"
            answers.append(f"{method} {MessageToJson(answer)}")
        except Refusal as refusal:
            answers.append(f"{method} {refusal.code} {refusal.message} {refusal.metadata}")
    return answers


def plain(answers: list[str]) -> list[str]:
    """The answers with ids numbered as they are met, since ids count everything made."""
    met: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return met.setdefault(found[0], f"id {len(met)}")

    return [re.sub(r"(msg|mail|read)_0\d+", number, answer) for answer in answers]


@pytest.mark.parametrize("viewer", ["bravo", "carol", "outsider", "operator"])
def test_nobody_else_can_tell_a_message_with_hidden_recipients_from_one_without(
    both: tuple[Project, Project], viewer: str
) -> None:
    with_hidden, without = (plain(told(project, viewer)) for project in both)
    if viewer == "operator":
        # What the operator opens in an agent's name, and on record, is as that agent sees it.
        with_hidden, without = (
            [each for each in answers if not each.startswith("FetchInbox")]
            for answers in (with_hidden, without)
        )
    assert with_hidden == without


@pytest.mark.parametrize("viewer", ["bravo", "carol", "outsider"])
def test_m23_no_answer_to_anybody_else_names_a_hidden_recipient(
    project: Project, viewer: str
) -> None:
    build(project.room, hides=True)
    hidden = [*HIDDEN, *(ids(project)[name] for name in HIDDEN)]
    for (_, fields), answer in zip(everything(project, viewer), told(project, viewer), strict=True):
        asked = repr(fields)
        assert not [word for word in hidden if word in answer and word not in asked], answer


def test_a_contact_that_is_refused_tells_nothing_of_hidden_recipients(project: Project) -> None:
    build(project.room, hides=True)
    for name in HIDDEN:
        project.call("SetContactPolicy", agent_name=name, policy="auto")
    for sender in ("bravo", "carol"):
        for name in HIDDEN:
            refusal = project.unsent(sender, name, auto_contact_if_blocked=False)
            assert refusal.reason == "CONTACT_REQUIRED"


def test_the_sender_sees_all_and_a_hidden_recipient_itself_alone(project: Project) -> None:
    build(project.room, hides=True)
    agents = {agent.name: agent.id for agent in project.call("ListProjectAgents").agents}
    for viewer, expected in (
        ("alfa", list(HIDDEN)),
        ("hidden-one", ["hidden-one"]),
        ("hidden-two", ["hidden-two"]),
        ("bravo", []),
    ):
        thread = project.call("FetchThread", agents[viewer], thread_id="x").messages
        topic = project.call("FetchTopic", agents[viewer], agent_name=viewer, topic="t").messages
        search = project.call("SearchMessages", agents[viewer], agent_name=viewer, query="needle")
        for shown in (thread[-1], topic[-1], search.messages[-1]):
            assert list(shown.bcc) == expected
        (*_, listed) = project.call("ListThreads", agents[viewer], agent_name=viewer).threads
        assert listed.thread_id == "x"
        assert set(listed.participants) == {"alfa", "bravo", "carol", *expected}
    sent = project.room.received(agents["alfa"], direction="MAIL_DIRECTION_SENT")
    assert {agents[name] for name in HIDDEN} <= {mail.to_agent_id for mail in sent}
    (mail, _) = project.room.received(agents["hidden-one"])
    assert mail.body == "needle in it"


def test_a_hidden_recipients_own_answer_shows_what_it_says_itself(project: Project) -> None:
    project.agents(*NAMES)
    one = project.message("alfa", "bravo", bcc=["hidden-one"], thread_id="x")
    answer = project.reply("hidden-one", one.id)
    assert project.ids("alfa") == [answer.id]
    assert project.ids("bravo") == [one.id]
    (listed,) = project.call("ListThreads", agent_name="bravo").threads
    assert list(listed.participants) == ["alfa", "bravo"]


def test_a_watch_of_another_mailbox_passes_over_hidden_copies(
    database_url: str, clock: ManualClock
) -> None:
    watched = Watched(database_url, clock)
    project = Project(watched.room)
    agents = {agent.name: agent.id for agent in project.agents("alfa", "bravo", "hidden")}
    project.message("alfa", "hidden", body_md="one")
    project.message("alfa", bcc=["hidden"], body_md="two")
    project.message("alfa", "hidden", body_md="three")

    def first(count: int, as_: str) -> Callable[[Room], Any]:
        async def watch(room: Room) -> list[str]:
            bodies = []
            asked = {"id": agents["hidden"], "include_waiting": True}
            async for event in room.stream("WatchMail", as_, **asked):
                bodies.append(event.mail.body)
                if len(bodies) == count:
                    break
            return bodies

        return watch

    try:
        assert watched.run(first(3, agents["hidden"])) == ["one", "two", "three"]
        assert watched.run(first(2, agents["bravo"])) == ["one", "three"]
    finally:
        watched.close()
