"""SendMessage: how recipients are asked for contact, and that nothing is queued meanwhile."""

from collections.abc import Callable

import pytest

from agent.v1.agent_pb2 import Agent
from postroom.errors import Code, Refusal
from postroom.office import Messaging
from tests.doubles import ManualClock
from tests.operations.messages.world import OTHER_SESSION, SESSION, Project
from tests.room import Room, refused


@pytest.fixture
def shy(project: Project) -> Agent:
    """A recipient that takes messages from contacts only; alfa is there too."""
    project.register("alfa")
    return project.register("bravo", "contacts_only")


def required(project: Project, *to: str, **fields: object) -> Refusal:
    """The refusal of a message for want of contact."""
    refusal = refused(lambda: project.send("alfa", *(to or ("bravo",)), **fields))
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, "CONTACT_REQUIRED")
    return refusal


def test_m03_the_refusal_says_that_nothing_was_delivered_and_nothing_is(
    project: Project, shy: Agent
) -> None:
    refusal = required(project, auto_contact_if_blocked=True, body_md="in confidence")
    assert refusal.metadata["auto_contact_requested"] == "bravo"
    for told in ("bravo", "not delivered", "not queued", "again"):
        assert told in refusal.message
    assert project.ids("bravo") == []
    project.respond("bravo", "alfa", accept=True)
    assert project.ids("bravo") == []
    assert project.room.received(shy.id) == []
    assert "in confidence" not in repr(project.stored())
    sent = project.message("alfa", "bravo", body_md="in confidence")
    assert project.ids("bravo") == [sent.id]


def test_a_refusal_leaves_the_request_and_its_notice_and_nothing_else(
    project: Project, shy: Agent
) -> None:
    before = project.stored()
    required(project, topic="t", thread_id="x")
    after = project.stored()
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"ContactRow", "MailRow", "MailboxRow"}
    (notice,) = project.requests(shy)
    assert notice.from_name == "postroom"
    assert not notice.HasField("from_agent_id")
    for told in ("alfa", "respond_contact", "from_agent"):
        assert told in notice.body
    (contact,) = project.contacts("bravo")
    assert (getattr(contact, "from"), contact.to, contact.status) == ("alfa", "bravo", "pending")
    assert contact.expires_at == "2026-12-08T09:30:00.000000Z"


def test_asking_again_renews_the_request_and_never_doubles_the_notice(
    project: Project, shy: Agent, clock: ManualClock
) -> None:
    required(project)
    clock.advance(days=3)
    required(project)
    required(project)
    (contact,) = project.contacts("bravo")
    assert contact.updated_at == "2026-12-04T09:30:00.000000Z"
    assert contact.expires_at == "2026-12-11T09:30:00.000000Z"
    (notice,) = project.requests(shy)
    assert notice.expires_at == "2026-12-08T09:30:00.000000Z"
    project.room.call("ReadMail", shy.id)
    required(project)
    assert len(project.requests(shy)) == 1
    clock.advance(days=4)
    assert project.requests(shy) == []
    required(project)
    assert len(project.requests(shy)) == 1
    assert len(project.contacts("bravo")) == 1


def test_an_expired_request_is_made_anew(project: Project, shy: Agent, clock: ManualClock) -> None:
    required(project)
    clock.advance(days=7)
    assert [contact.status for contact in project.contacts("bravo")] == ["expired"]
    assert project.requests(shy) == []
    required(project)
    assert [contact.status for contact in project.contacts("bravo")] == ["pending"]
    assert len(project.requests(shy)) == 1


@pytest.mark.parametrize("setting", [True, False])
@pytest.mark.parametrize("flag", [True, False, None])
def test_the_flag_or_else_the_setting_says_whether_to_ask(
    project: Project, shy: Agent, limited: Callable[..., Room], setting: bool, flag: bool | None
) -> None:
    project.room = limited(Messaging(auto_contact=setting))
    fields = {} if flag is None else {"auto_contact_if_blocked": flag}
    asks = setting if flag is None else flag
    refusal = required(project, **fields)
    assert refusal.metadata["auto_contact_requested"] == ("bravo" if asks else "")
    assert ("request_contact" in refusal.message) == (not asks)
    assert ("asked just now" in refusal.message) == asks
    assert len(project.requests(shy)) == len(project.contacts("bravo")) == asks


def test_a_reply_asks_as_the_setting_says(project: Project, shy: Agent) -> None:
    project.call("SetContactPolicy", agent_name="bravo", policy="open")
    sent = project.message("alfa", "bravo")
    project.call("SetContactPolicy", agent_name="bravo", policy="contacts_only")
    assert refused(lambda: project.reply("alfa", sent.id)).reason == "CONTACT_REQUIRED"
    assert len(project.requests(shy)) == 1
    assert project.ids("bravo") == [sent.id]


def test_who_has_refused_is_not_asked_again_while_the_refusal_stands(
    project: Project, shy: Agent, clock: ManualClock
) -> None:
    project.register("carol", "contacts_only")
    required(project)
    project.respond("bravo", "alfa", accept=False)
    refusal = required(project)
    assert refusal.metadata["auto_contact_requested"] == ""
    assert "refused before" in refusal.message
    both = required(project, "bravo", "carol")
    assert both.metadata == {"auto_contact_requested": "carol", "recipients": "bravo, carol"}
    assert project.requests(shy) == []
    assert [contact.status for contact in project.contacts("bravo")] == ["refused"]
    clock.advance(days=7)
    assert required(project).metadata["auto_contact_requested"] == "bravo"
    assert len(project.requests(shy)) == 1


def test_the_time_to_live_of_a_request_is_a_setting(
    project: Project, shy: Agent, limited: Callable[..., Room], clock: ManualClock
) -> None:
    assert shy.id
    project.room = limited(Messaging(pending_contact=60))
    required(project)
    assert project.contacts("bravo")[0].expires_at == "2026-12-01T09:31:00.000000Z"
    clock.advance(seconds=60)
    answer = refused(lambda: project.respond("bravo", "alfa", accept=True))
    assert (answer.code, answer.reason) == (Code.NOT_FOUND, "CONTACT_NOT_FOUND")


def test_a_renewal_keeps_the_reason_and_shortens_nothing(project: Project, shy: Agent) -> None:
    assert shy.id
    project.ask("alfa", "bravo", reason="the store", ttl_seconds=30 * 86_400)
    required(project)
    (contact,) = project.contacts("bravo")
    assert (contact.reason, contact.expires_at) == ("the store", "2026-12-31T09:30:00.000000Z")


def test_every_recipient_that_requires_contact_is_asked(project: Project, shy: Agent) -> None:
    carol, delta = project.register("carol", "contacts_only"), project.register("delta")
    refusal = required(project, "bravo", "delta", cc=["carol"])
    assert refusal.metadata["auto_contact_requested"] == "bravo, carol"
    assert [len(project.requests(agent)) for agent in (shy, carol, delta)] == [1, 1, 0]
    assert project.ids("delta") == []


def test_very_many_are_asked_and_the_refusal_still_fits(project: Project) -> None:
    project.register("alfa")
    names = [f"{'n' * 60}-{number}" for number in range(40)]
    project.agents(*names, policy="contacts_only")
    refusal = required(project, *names)
    assert "and 21 more" in refusal.metadata["auto_contact_requested"]
    told = len(refusal.message) + sum(map(len, refusal.metadata.values()))
    assert told < 5_000
    assert len(project.contacts("alfa")) == 40


def test_in_one_session_contact_is_approved_and_the_message_goes_on(
    project: Project, shy: Agent, clock: ManualClock
) -> None:
    project.room.call("ListMail", shy.id, within=SESSION)
    required(project, auto_contact_if_blocked=False, within=SESSION)
    required(project, within=OTHER_SESSION)
    sent = project.message("alfa", "bravo", within=SESSION)
    assert project.ids("bravo") == [sent.id]
    (contact,) = project.contacts("bravo")
    assert (contact.status, contact.expires_at) == ("approved", "2026-12-01T21:30:00.000000Z")
    project.send("alfa", "bravo", within=OTHER_SESSION)
    clock.advance(hours=12)
    assert required(project).metadata["auto_contact_requested"] == "bravo"


def test_m08_an_approval_in_the_session_leaves_no_request_to_answer(
    project: Project, shy: Agent
) -> None:
    required(project)
    assert len(project.requests(shy)) == 1
    project.room.call("ListMail", shy.id, within=SESSION)
    project.send("alfa", "bravo", within=SESSION)
    assert project.requests(shy) == []


def test_one_absent_recipient_is_asked_and_no_present_one_is_approved(
    project: Project, shy: Agent
) -> None:
    project.register("carol", "contacts_only")
    project.room.call("ListMail", shy.id, within=SESSION)
    refusal = required(project, "bravo", "carol", within=SESSION)
    assert refusal.metadata == {"auto_contact_requested": "carol", "recipients": "carol"}
    assert project.contacts("bravo") == []


def test_an_approval_in_the_session_is_kept_only_with_its_message(
    project: Project, shy: Agent, limited: Callable[..., Room]
) -> None:
    project.room = limited(mailbox=1)
    project.register("carol")
    project.send("alfa", "carol")
    project.room.call("ListMail", shy.id, within=SESSION)
    refusal = project.unsent("alfa", "bravo", "carol", within=SESSION)
    assert refusal.reason == "MAILBOX_FULL"
    assert project.contacts("bravo") == []


def test_an_unnamed_caller_puts_nobody_into_the_session(project: Project, shy: Agent) -> None:
    assert shy.id
    project.call("FetchInbox", agent_name="bravo", within=SESSION)
    required(project, within=SESSION)
