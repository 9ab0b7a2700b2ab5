"""Who counts as present in a session: whoever came in by what still holds."""

from functools import partial
from typing import Any

import pytest

from agent.v1.agent_pb2 import Agent
from postroom.errors import Refusal
from tests.doubles import ManualClock
from tests.operations.messages.world import SESSION, Project
from tests.room import refused


@pytest.fixture
def shy(project: Project) -> Agent:
    """An agent that takes messages from contacts only, beside one that writes to it."""
    project.register("alfa")
    return project.register("bravo", "contacts_only")


def token(project: Project, agent: Agent) -> Any:
    return project.room.call("CreateToken", agent_id=agent.id)


def enter(project: Project, as_: str) -> None:
    """Call something in the session."""
    project.room.call("ListMail", as_, within=SESSION)


def turned_down(project: Project) -> Refusal:
    """The refusal of a message that would go out if bravo counted as present."""
    return refused(partial(project.send, "alfa", "bravo", within=SESSION))


def shaken(project: Project) -> str:
    """What comes of a handshake that approves itself where bravo counts as present."""
    fields = {"requester": "alfa", "target": "bravo", "auto_accept": True}
    return str(project.call("MacroContactHandshake", within=SESSION, **fields).contact.status)


def test_a_revoked_token_takes_its_agent_out_of_the_session(project: Project, shy: Agent) -> None:
    made = token(project, shy)
    enter(project, made.token)
    project.room.call("RevokeToken", key_id=made.key_id)
    assert turned_down(project).reason == "CONTACT_REQUIRED"
    assert shaken(project) == "pending"


def test_a_token_that_has_ended_takes_its_agent_out_of_the_session(
    project: Project, shy: Agent, clock: ManualClock
) -> None:
    made = token(project, shy)
    clock.advance(days=89, hours=23)
    enter(project, made.token)
    clock.advance(hours=2)
    assert shaken(project) == "pending"


def test_another_token_of_the_agent_does_not_stand_in_for_the_revoked_one(
    project: Project, shy: Agent
) -> None:
    stolen, own = token(project, shy), token(project, shy)
    enter(project, stolen.token)
    project.room.call("RevokeToken", key_id=stolen.key_id)
    assert shaken(project) == "pending"
    enter(project, own.token)
    assert shaken(project) == "approved"


def test_an_agent_that_was_only_named_is_out_once_a_token_must_prove_it(
    project: Project, shy: Agent
) -> None:
    enter(project, shy.id)
    made = token(project, shy)
    project.room.call("RevokeToken", key_id=made.key_id)
    assert turned_down(project).reason == "CONTACT_REQUIRED"


def test_an_agent_that_was_registered_is_out_once_it_has_no_token_left(project: Project) -> None:
    project.register("alfa")
    made = project.call(
        "RegisterAgent",
        name="bravo",
        contact_policy="contacts_only",
        issue_token=True,
        within=SESSION,
    )
    key_id = made.token.split("_")[1]
    project.room.call("RevokeToken", key_id=key_id)
    assert turned_down(project).reason == "CONTACT_REQUIRED"


def test_registering_itself_again_does_not_bring_a_revoked_agent_back(
    project: Project, shy: Agent
) -> None:
    stolen, _ = token(project, shy), token(project, shy)
    project.call("RegisterAgent", stolen.token, name="bravo", within=SESSION)
    project.room.call("RevokeToken", key_id=stolen.key_id)
    assert shaken(project) == "pending"


def test_an_agent_whose_token_is_live_is_present_however_it_came_in(
    project: Project, shy: Agent
) -> None:
    enter(project, shy.id)
    token(project, shy)
    assert shaken(project) == "approved"
