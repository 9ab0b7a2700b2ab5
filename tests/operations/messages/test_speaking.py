"""Who may speak, and as whom: one table of callers for every operation that names an agent."""

from functools import partial
from typing import Any, NamedTuple

import pytest

from agent.v1.agent_pb2 import Agent
from postroom.errors import Code
from tests.operations.messages.world import Project
from tests.room import Room

MISMATCH = (Code.PERMISSION_DENIED, "IDENTITY_MISMATCH")
TOKEN = (Code.UNAUTHENTICATED, "TOKEN_REQUIRED")
GONE = (Code.NOT_FOUND, "AGENT_NOT_FOUND")
# The operations that speak as an agent: the field of its name, and the rest of a request.
SPEAKING: dict[str, tuple[str, dict[str, Any]]] = {
    "SendMessage": ("sender_name", {"to": ["carol"], "subject": "s", "body_md": "b"}),
    "ReplyMessage": ("sender_name", {"message_id": "", "body_md": "b"}),
    "FetchInbox": ("agent_name", {}),
    "FetchTopic": ("agent_name", {"topic": "t"}),
    "ListThreads": ("agent_name", {}),
    "SearchMessages": ("agent_name", {"query": "plan"}),
    "MarkMessageRead": ("agent_name", {"message_id": ""}),
    "AcknowledgeMessage": ("agent_name", {"message_id": ""}),
    "RequestContact": ("from_agent", {"to_agent": "carol"}),
    "RespondContact": ("to_agent", {"from_agent": "carol", "accept": True}),
    "ListContacts": ("agent_name", {}),
    "SetContactPolicy": ("agent_name", {"policy": "open"}),
    "MacroContactHandshake": ("requester", {"target": "carol"}),
}
# What the operator may do for others, besides.
READING = {"FetchInbox", "FetchTopic", "ListThreads", "SearchMessages"}
MANAGING = {"ListContacts", "SetContactPolicy"}


class World(NamedTuple):
    """An agent that calls, its proof, another, and a message to both."""

    project: Project
    bravo: Agent
    token: str
    alfa: Agent
    message_id: str

    def call(self, method: str, as_: str, name: str = "bravo", **more: Any) -> Any:
        """Call as somebody, in the name of somebody."""
        field, fields = SPEAKING[method]
        given = {field: name} | fields | more
        if "message_id" in given:
            given["message_id"] = self.message_id
        return self.project.call(method, as_, **given)

    def refusal(self, method: str, as_: str, name: str = "bravo", **more: Any) -> tuple[Code, str]:
        """How the call is refused; nothing is stored."""
        refusal = self.project.refusal(partial(self.call, method, as_, name, **more))
        return refusal.code, refusal.reason


@pytest.fixture
def world(project: Project) -> World:
    """Bravo, whose name is spoken in, with a message and a request for contact."""
    alfa, bravo, _ = project.agents("alfa", "bravo", "carol")
    sent = project.message("alfa", "bravo", topic="t")
    project.ask("carol", "bravo")
    return World(project, bravo, "", alfa, sent.id)


@pytest.fixture
def proven(world: World) -> World:
    """The same, when bravo has a token."""
    token = world.project.room.call("CreateToken", agent_id=world.bravo.id).token
    world.project.room.received(token)
    return world._replace(token=token)


@pytest.mark.parametrize("method", SPEAKING)
def test_an_agent_speaks_as_itself_named_unnamed_or_proven(world: World, method: str) -> None:
    world.call(method, world.bravo.id)
    world.call(method, "")
    token = world.project.room.call("CreateToken", agent_id=world.bravo.id).token
    world.call(method, token)


@pytest.mark.parametrize("method", SPEAKING)
def test_who_named_or_proved_an_identity_speaks_as_nobody_else(proven: World, method: str) -> None:
    alfa = proven.alfa.id
    assert proven.refusal(method, alfa) == MISMATCH
    assert proven.refusal(method, proven.token, "alfa") == MISMATCH
    assert proven.refusal(method, alfa, "nobody") == MISMATCH
    if method not in READING | MANAGING:
        assert proven.refusal(method, "operator") == MISMATCH


@pytest.mark.parametrize("method", SPEAKING)
def test_nobody_unnamed_speaks_as_an_agent_with_a_token(proven: World, method: str) -> None:
    assert proven.refusal(method, "") == TOKEN
    assert proven.refusal(method, proven.bravo.id) == TOKEN
    proven.call(method, proven.token)


@pytest.mark.parametrize("method", SPEAKING)
def test_nobody_unnamed_speaks_as_nobody_or_as_who_has_ended(world: World, method: str) -> None:
    assert world.refusal(method, "", "nobody") == GONE
    world.project.archive(world.bravo)
    assert world.refusal(method, "") == GONE
    assert world.refusal(method, world.bravo.id) == (Code.UNAUTHENTICATED, "CALLER_ARCHIVED")


def test_an_agent_that_has_ended_may_call_nothing(world: World) -> None:
    others = {
        "EnsureProject": {},
        "RegisterAgent": {"name": "bravo"},
        "GetMessage": {"message_id": world.message_id},
        "FetchThread": {"thread_id": world.message_id},
        "GetAttachment": {"sha256": "0" * 64},
        "ListProjectAgents": {},
    }
    project = world.project
    specs = project.room.registry.specs
    service = {spec.name for spec in specs if spec.service == "agent.v1.MessageService"}
    assert {*SPEAKING, *others} == service
    project.archive(world.bravo)
    for method, fields in others.items():
        refusal = project.refusal(partial(project.call, method, world.bravo.id, **fields))
        assert (refusal.code, refusal.reason) == (Code.UNAUTHENTICATED, "CALLER_ARCHIVED")


@pytest.mark.parametrize("method", SPEAKING)
def test_the_project_comes_before_the_speaker(world: World, method: str) -> None:
    for as_ in ("", world.alfa.id, "operator"):
        refusal = world.refusal(method, as_, "nobody", project_key="/unseen")
        assert refusal == (Code.NOT_FOUND, "PROJECT_NOT_FOUND")


@pytest.mark.parametrize("method", SPEAKING)
def test_an_agent_of_another_project_with_the_same_name_is_somebody_else(
    world: World, room: Room, method: str
) -> None:
    other = Project(room, "/other")
    namesake = other.register("bravo")
    assert world.refusal(method, namesake.id) == MISMATCH


@pytest.mark.parametrize("method", sorted(READING | MANAGING))
def test_the_operator_reads_and_manages_for_anybody(proven: World, method: str) -> None:
    proven.call(method, "operator")
    assert proven.refusal(method, "operator", "nobody") == GONE


def test_m11_an_agent_never_writes_in_the_name_of_another(world: World) -> None:
    project = world.project
    project.register("HumanOverseer")
    refusal = project.unsent("HumanOverseer", "bravo", as_=world.alfa.id)
    assert (refusal.code, refusal.reason) == MISMATCH
    assert "alfa" in refusal.message
    assert project.ids("bravo") == [world.message_id]


def test_an_unnamed_callers_write_is_the_agents_activity(world: World, clock: Any) -> None:
    project = world.project
    for method in set(SPEAKING) - READING - {"ListContacts", "SendMessage", "ReplyMessage"}:
        clock.advance(seconds=1)
        world.call(method, "")
        agent = project.room.call("GetAgent", id=world.bravo.id).agent
        assert agent.last_active_at.endswith(f"{(clock.now() // 10**6) % 60:02d}.000000Z"), method


def test_what_the_operator_sets_is_not_the_agents_activity(world: World, clock: Any) -> None:
    clock.advance(minutes=5)
    world.call("SetContactPolicy", "operator")
    agent = world.project.room.call("GetAgent", id=world.bravo.id).agent
    assert agent.last_active_at == "2026-12-01T09:30:00.000000Z"
