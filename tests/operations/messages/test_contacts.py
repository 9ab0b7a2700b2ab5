"""RequestContact, RespondContact, ListContacts, SetContactPolicy, MacroContactHandshake."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from agent.v1.agent_pb2 import Agent
from agent.v1.message_pb2 import Contact
from postroom.errors import Code
from postroom.office import Messaging
from tests.doubles import ManualClock
from tests.operations.messages.world import OTHER_SESSION, SESSION, Project
from tests.room import Room, refused


@pytest.fixture
def pair(project: Project) -> list[Agent]:
    """Two agents that take messages from contacts only."""
    return project.agents("alfa", "bravo", policy="contacts_only")


def shake(project: Project, target: str = "bravo", **fields: Any) -> Contact:
    """A handshake that alfa begins."""
    contact: Contact = project.call(
        "MacroContactHandshake", requester="alfa", target=target, **fields
    ).contact
    return contact


def test_a_request_is_pending_and_shown_by_a_notice(project: Project, pair: list[Agent]) -> None:
    asked = project.ask("alfa", "bravo", reason='to "plan"\nthings', ttl_seconds=3600)
    assert (getattr(asked, "from"), asked.to, asked.status) == ("alfa", "bravo", "pending")
    assert (asked.reason, asked.expires_at) == ('to "plan"\nthings', "2026-12-01T10:30:00.000000Z")
    (notice,) = project.requests(pair[1])
    assert notice.expires_at == asked.expires_at
    assert (notice.from_name, notice.HasField("from_agent_id")) == ("postroom", False)
    # The reason stands in quotes and on one line: it speaks for its agent alone.
    assert r'"to \"plan\"\nthings"' in notice.body
    assert "\n" not in notice.body
    assert project.contacts("alfa") == project.contacts("bravo") == [asked]
    assert project.requests(pair[0]) == []


@pytest.mark.usefixtures("pair")
def test_a_reason_with_a_token_of_ours_is_refused(project: Project) -> None:
    reason = f"use {project.call('RegisterAgent', name='delta', issue_token=True).token}"
    for call in (
        partial(project.ask, "alfa", "bravo", reason=reason),
        partial(shake, project, reason=reason),
    ):
        refusal = project.refusal(call)
        assert (refusal.code, refusal.reason) == (
            Code.INVALID_ARGUMENT,
            "BODY_CONTAINS_CREDENTIAL",
        )
        assert [violation.field for violation in refusal.violations] == ["reason"]


def test_a_request_that_is_renewed_is_never_doubled(
    project: Project, pair: list[Agent], clock: ManualClock
) -> None:
    project.ask("alfa", "bravo", reason="first")
    clock.advance(days=1)
    again = project.ask("alfa", "bravo", reason="second")
    assert (again.reason, again.expires_at) == ("second", "2026-12-09T09:30:00.000000Z")
    assert project.ask("alfa", "bravo").reason == "second"
    assert project.ask("alfa", "bravo", ttl_seconds=60).expires_at == again.expires_at
    assert len(project.contacts("bravo")) == len(project.requests(pair[1])) == 1


def test_both_may_ask_each_other(project: Project, pair: list[Agent]) -> None:
    project.ask("alfa", "bravo")
    project.ask("bravo", "alfa")
    assert [len(project.requests(agent)) for agent in pair] == [1, 1]
    assert [getattr(one, "from") for one in project.contacts("alfa")] == ["alfa", "bravo"]


@pytest.mark.parametrize("accept", [True, False])
def test_an_answer_takes_the_notice_back(project: Project, pair: list[Agent], accept: bool) -> None:
    project.ask("alfa", "bravo", reason="why")
    answered = project.respond("bravo", "alfa", accept=accept)
    assert answered.status == ("approved" if accept else "refused")
    assert answered.reason == "why"
    assert project.requests(pair[1]) == []
    assert project.room.call("GetAgent", id=pair[1].id).agent.waiting == 0
    assert project.contacts("alfa") == [answered]


def test_an_answer_takes_a_notice_back_that_was_claimed(
    project: Project, pair: list[Agent]
) -> None:
    project.ask("alfa", "bravo")
    project.room.call("ReadMail", pair[1].id)
    project.respond("bravo", "alfa", accept=True)
    assert project.requests(pair[1]) == []


def test_an_approval_may_end(project: Project, pair: list[Agent], clock: ManualClock) -> None:
    assert pair
    assert project.approve("alfa", "bravo", ttl_seconds=60).expires_at == (
        "2026-12-01T09:31:00.000000Z"
    )
    clock.advance(minutes=1)
    assert [one.status for one in project.contacts("alfa")] == ["expired"]
    refusal = project.refusal(partial(project.respond, "bravo", "alfa", accept=True))
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "CONTACT_NOT_FOUND")
    assert project.approve("alfa", "bravo").status == "approved"


def test_an_answer_can_be_changed(project: Project, pair: list[Agent]) -> None:
    project.ask("alfa", "bravo")
    project.respond("bravo", "alfa", accept=False)
    assert project.respond("bravo", "alfa", accept=True).status == "approved"
    assert project.respond("bravo", "alfa", accept=True, ttl_seconds=9).HasField("expires_at")
    assert not project.respond("bravo", "alfa", accept=True).HasField("expires_at")
    assert project.respond("bravo", "alfa", accept=False).status == "refused"
    assert project.requests(pair[1]) == []


@pytest.mark.parametrize("accept", [True, False])
def test_what_was_not_asked_cannot_be_answered(
    project: Project, pair: list[Agent], clock: ManualClock, accept: bool
) -> None:
    assert pair
    answer = partial(project.respond, "bravo", "alfa", accept=accept)
    assert project.refusal(answer).reason == "CONTACT_NOT_FOUND"
    project.ask("bravo", "alfa")
    assert project.refusal(answer).reason == "CONTACT_NOT_FOUND"
    project.ask("alfa", "bravo")
    clock.advance(days=7)
    assert project.refusal(answer).reason == "CONTACT_NOT_FOUND"


def test_asking_for_what_is_approved_or_refused_changes_nothing(
    project: Project, pair: list[Agent]
) -> None:
    approved = project.approve("alfa", "bravo")
    assert project.ask("alfa", "bravo", reason="again") == approved
    refused_once = project.respond("bravo", "alfa", accept=False)
    assert project.ask("alfa", "bravo", reason="again") == refused_once
    assert project.requests(pair[1]) == []


def test_a_refusal_stands_for_as_long_as_a_request_would(
    project: Project, pair: list[Agent], clock: ManualClock
) -> None:
    project.ask("alfa", "bravo")
    assert project.respond("bravo", "alfa", accept=False).expires_at == (
        "2026-12-08T09:30:00.000000Z"
    )
    clock.advance(days=7)
    assert [one.status for one in project.contacts("bravo")] == ["refused"]
    assert project.ask("alfa", "bravo").status == "pending"
    assert len(project.requests(pair[1])) == 1


def test_who_takes_messages_from_nobody_cannot_be_asked(
    project: Project, pair: list[Agent]
) -> None:
    project.call("SetContactPolicy", agent_name="bravo", policy="block_all")
    project.room.call("ListMail", pair[1].id, within=SESSION)
    for call in (
        partial(project.ask, "alfa", "bravo"),
        partial(shake, project),
        partial(shake, project, auto_accept=True, within=SESSION),
    ):
        refusal = project.refusal(call)
        assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "POLICY_FORBIDS")


def test_contact_is_with_another_live_agent_of_the_project(
    project: Project, pair: list[Agent], room: Room
) -> None:
    Project(room, "/other").register("carol")
    for target, reason in (("alfa", "SELF_CONTACT"), ("carol", "AGENT_NOT_FOUND")):
        assert project.refusal(partial(project.ask, "alfa", target)).reason == reason
        assert project.refusal(partial(shake, project, target)).reason == reason
        answer = partial(project.respond, "alfa", target, accept=True)
        assert project.refusal(answer).reason == reason
    project.archive(pair[1])
    assert project.refusal(partial(project.ask, "alfa", "bravo")).reason == "AGENT_NOT_FOUND"


def test_a_time_to_live_is_not_negative_and_a_reason_has_1000_characters(
    project: Project, pair: list[Agent]
) -> None:
    assert pair
    for fields in ({"ttl_seconds": -1}, {"reason": "x" * 1_001}):
        call = partial(project.ask, "alfa", "bravo", **fields)
        refusal = project.refusal(call)
        assert [violation.field for violation in refusal.violations] == list(fields)
    project.ask("alfa", "bravo", ttl_seconds=2**31 - 1, reason="\N{SNOWMAN}" * 1_000)
    assert project.respond("bravo", "alfa", accept=True, ttl_seconds=2**31 - 1).expires_at


def test_a_handshake_outside_the_session_leaves_a_request(
    project: Project, pair: list[Agent]
) -> None:
    assert shake(project, auto_accept=True).status == "pending"
    assert shake(project, auto_accept=True, within=OTHER_SESSION).status == "pending"
    assert len(project.requests(pair[1])) == 1


def test_a_handshake_in_the_session_approves_only_when_it_is_told_to(
    project: Project, pair: list[Agent], limited: Callable[..., Room]
) -> None:
    project.room = limited(Messaging(in_session_contact=60))
    project.room.call("ListMail", pair[1].id, within=SESSION)
    assert shake(project, within=SESSION).status == "pending"
    made = shake(project, auto_accept=True, within=SESSION)
    assert (made.status, made.expires_at) == ("approved", "2026-12-01T09:31:00.000000Z")
    longer = shake(project, auto_accept=True, ttl_seconds=120, within=SESSION)
    assert longer.expires_at == "2026-12-01T09:32:00.000000Z"


def test_m08_a_handshake_in_the_session_leaves_no_request_to_answer(
    project: Project, pair: list[Agent]
) -> None:
    shake(project)
    assert len(project.requests(pair[1])) == 1
    project.room.call("ListMail", pair[1].id, within=SESSION)
    assert shake(project, auto_accept=True, within=SESSION).status == "approved"
    assert project.requests(pair[1]) == []
    assert [one.status for one in project.contacts("bravo")] == ["approved"]


def test_a_handshake_never_shortens_an_approval(project: Project, pair: list[Agent]) -> None:
    approved = project.approve("alfa", "bravo")
    project.room.call("ListMail", pair[1].id, within=SESSION)
    wishes: tuple[dict[str, Any], ...] = ({}, {"ttl_seconds": 5})
    for fields in wishes:
        assert shake(project, auto_accept=True, within=SESSION, **fields) == approved


def test_a_policy_holds_from_the_next_message_on(project: Project, pair: list[Agent]) -> None:
    assert project.unsent("alfa", "bravo", auto_contact_if_blocked=False).reason
    agent = project.call("SetContactPolicy", pair[1].id, agent_name="bravo", policy="open").agent
    assert (agent.id, agent.contact_policy) == (pair[1].id, "open")
    project.send("alfa", "bravo")
    assert project.call("ListProjectAgents").agents[1].contact_policy == "open"
    for policy in ("", "closed", "OPEN"):
        call = partial(project.call, "SetContactPolicy", agent_name="bravo", policy=policy)
        refusal = project.refusal(call)
        assert [violation.field for violation in refusal.violations] == ["policy"]


def test_contacts_are_the_agents_own_alone(project: Project, pair: list[Agent]) -> None:
    project.agents("carol", "delta")
    project.ask("alfa", "bravo")
    project.ask("carol", "delta")
    assert [one.to for one in project.contacts("bravo")] == ["bravo"]
    call = partial(project.call, "ListContacts", pair[0].id, agent_name="carol")
    assert refused(call).reason == "IDENTITY_MISMATCH"
