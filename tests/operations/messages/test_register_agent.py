"""RegisterAgent: names as given, and who may make or change an agent."""

from functools import partial
from typing import Any

import pytest

from agent.v1.agent_pb2 import Agent
from postroom.errors import Code
from tests.operations.messages.world import KEY, OTHER_SESSION, SESSION, Project
from tests.room import Room, refused


def register(project: Project, name: str, as_: str = "", **fields: Any) -> Any:
    """The answer."""
    return project.call("RegisterAgent", as_, name=name, **fields)


def test_an_agent_is_kept_as_described(project: Project) -> None:
    fields = {
        "program": "editor",
        "model": "large",
        "task_description": "the store",
        "role": "reviewer",
        "contact_policy": "contacts_only",
        "attachments_policy": "file",
    }
    made = register(project, "alpha-one", **fields)
    assert made.token == ""
    assert {name: getattr(made.agent, name) for name in fields} == fields
    assert made.agent.name == "alpha-one"
    assert project.room.call("GetAgent", id=made.agent.id).agent == made.agent
    assert register(project, "plain").agent.contact_policy == "auto"


def test_m13_a_name_that_is_registered_again_is_the_same_agent(project: Project) -> None:
    first = register(project, "alpha-one", program="editor").agent
    again = register(project, "alpha-one", model="small", contact_policy="open").agent
    assert (again.id, again.name, again.program) == (first.id, "alpha-one", "editor")
    assert (again.model, again.contact_policy) == ("small", "open")
    third = register(project, "alpha-one", first.id, role="reviewer").agent
    assert (third.id, third.role, third.model) == (first.id, "reviewer", "small")
    assert len(project.call("ListProjectAgents").agents) == 1


def test_m13_registering_again_takes_the_agents_own_credential(project: Project) -> None:
    made = register(project, "alfa", issue_token=True)
    other = register(project, "bravo", issue_token=True)
    assert made.token.startswith("prt_")
    assert register(project, "alfa", made.token, model="m").agent.id == made.agent.id
    assert register(project, "bravo", other.token).agent.id == other.agent.id
    assert register(project, "alfa", "operator", model="n").agent.model == "n"
    for caller in ("", other.token):
        refusal = project.refusal(partial(register, project, "alfa", caller, model="x"))
        assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "NOT_YOUR_AGENT")


def test_an_agent_registers_nobody_else(project: Project) -> None:
    alfa = register(project, "alfa").agent
    register(project, "bravo")
    for name in ("bravo", "carol"):
        refusal = project.refusal(partial(register, project, name, alfa.id))
        assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "NOT_YOUR_AGENT")


@pytest.mark.usefixtures("project")
def test_a_token_is_made_where_the_server_wants_proof(room: Room) -> None:
    strict = Room(room.office.store, room.office.clock, room.office.ids, trusted=False)
    object.__setattr__(strict.office, "is_trusted", False)
    operator = room.call("CreateToken", agent_id="operator").token
    made = strict.call("RegisterAgent", operator, project_key=KEY, name="alfa")
    assert not strict.call("FetchInbox", made.token, agent_name="alfa").messages
    again = strict.call("RegisterAgent", made.token, project_key=KEY, name="alfa")
    assert again.token == ""
    strict.close()


@pytest.mark.parametrize("name", ["b-agent", "Reviewer", "all", "to", "0", "a.b_c-d", "x" * 64])
def test_m12_a_name_that_looks_like_something_else_is_kept_and_mailed(
    project: Project, name: str
) -> None:
    made = project.register(name)
    sender = project.register("alfa")
    assert made.name == name
    sent = project.message("alfa", name, as_=sender.id)
    assert list(sent.to) == [name]
    assert project.ids(name) == [sent.id]


@pytest.mark.parametrize(
    "name", ["", "a b", "-a", "é", "x" * 65, "operator", "System", "agt_1", "MSG_x", "a\n", "a/b"]
)
def test_a_name_that_cannot_be_is_refused_and_never_replaced(project: Project, name: str) -> None:
    refusal = project.refusal(partial(register, project, name))
    assert refusal.code is Code.INVALID_ARGUMENT
    assert {violation.field for violation in refusal.violations} == {"name"}


@pytest.mark.parametrize("field", ["contact_policy", "attachments_policy"])
def test_a_policy_is_one_of_the_known_words(project: Project, field: str) -> None:
    refusal = project.refusal(partial(register, project, "alfa", **{field: "whatever"}))
    assert [violation.field for violation in refusal.violations] == [field]


def test_m16_a_name_in_two_projects_is_two_agents(project: Project, room: Room) -> None:
    other = Project(room, "/other")
    assert register(project, "alfa").agent.id != register(other, "alfa").agent.id
    refusal = project.refusal(partial(register, project, "carol", project_key="/unseen"))
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "PROJECT_NOT_FOUND")


def test_a_name_that_differs_by_case_alone_is_taken(project: Project) -> None:
    alfa = register(project, "Alfa").agent
    refusal = project.refusal(partial(register, project, "alfa"))
    assert (refusal.code, refusal.reason) == (Code.ALREADY_EXISTS, "NAME_TAKEN")
    project.archive(alfa)
    assert register(project, "alfa").agent.id != alfa.id


def test_a_name_of_an_agent_that_has_ended_makes_a_new_one(project: Project) -> None:
    first: Agent = register(project, "alfa", model="old").agent
    project.archive(first)
    second = register(project, "alfa").agent
    assert (second.id != first.id, second.model) == (True, "")


def test_a_registered_agent_is_in_the_session_that_it_was_registered_in(project: Project) -> None:
    register(project, "alfa")
    register(project, "bravo", contact_policy="contacts_only", within=SESSION)
    elsewhere = partial(project.send, "alfa", "bravo", within=OTHER_SESSION)
    assert refused(elsewhere).reason == "CONTACT_REQUIRED"
    project.send("alfa", "bravo", within=SESSION)
    assert len(project.ids("bravo")) == 1


def test_m18_agents_of_a_fresh_store_have_distinct_ids_and_can_answer(project: Project) -> None:
    first, second = project.agents("alfa", "bravo")
    assert first.id != second.id
    project.message("alfa", "bravo")
    (listed,) = project.inbox("bravo")
    assert project.reply("bravo", listed.id).reply_to == listed.id
