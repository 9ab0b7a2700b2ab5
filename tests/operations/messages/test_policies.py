"""SendMessage: whom each contact policy lets through, and when."""

from typing import Any

import pytest

from postroom.errors import Code
from tests.doubles import ManualClock
from tests.operations.messages.world import Project
from tests.room import refused

POLICIES = ("open", "auto", "contacts_only", "block_all")
LET = "delivered"


@pytest.fixture
def world(project: Project) -> Project:
    """A sender that everybody may write to."""
    project.register("alfa")
    return project


def outcome(project: Project, to: str = "bravo", **fields: Any) -> str:
    """What becomes of a message from alfa when nobody is asked for contact."""
    before = project.ids(to)
    given: dict[str, Any] = {"auto_contact_if_blocked": False} | fields
    try:
        sent = project.message("alfa", to, **given)
    except Exception as refusal:
        assert project.ids(to) == before
        return str(getattr(refusal, "reason", refusal))
    assert project.ids(to) == [sent.id, *before]
    return LET


def table(project: Project) -> dict[str, str]:
    """The outcome under each policy of bravo."""
    found = {}
    for policy in POLICIES:
        project.call("SetContactPolicy", agent_name="bravo", policy=policy)
        found[policy] = outcome(project)
    return found


def expected(auto: str, contacts_only: str) -> dict[str, str]:
    return dict(zip(POLICIES, (LET, auto, contacts_only, "POLICY_FORBIDS"), strict=True))


REQUIRED = "CONTACT_REQUIRED"


def test_a_stranger_is_let_through_by_open_alone(world: Project) -> None:
    world.register("bravo")
    assert table(world) == expected(REQUIRED, REQUIRED)


def test_the_policy_of_a_new_agent_is_auto(world: Project) -> None:
    world.call("RegisterAgent", name="bravo")
    world.room.agent("carol", world.key)
    assert outcome(world) == outcome(world, "carol") == REQUIRED


def test_an_approved_contact_is_let_through_by_all_but_block_all(world: Project) -> None:
    world.register("bravo")
    world.approve("alfa", "bravo")
    assert table(world) == expected(LET, LET)


def test_contact_lets_both_write(world: Project) -> None:
    world.register("bravo", "contacts_only")
    world.approve("bravo", "alfa")
    assert table(world) == expected(LET, LET)


def test_a_pending_request_lets_nobody_through(world: Project) -> None:
    world.register("bravo")
    world.ask("alfa", "bravo")
    assert table(world) == expected(REQUIRED, REQUIRED)


def test_a_refused_request_lets_nobody_through(world: Project) -> None:
    world.register("bravo")
    world.ask("alfa", "bravo")
    world.respond("bravo", "alfa", accept=False)
    assert table(world) == expected(REQUIRED, REQUIRED)


def test_an_approval_that_was_taken_back_lets_nobody_through(world: Project) -> None:
    world.register("bravo")
    world.approve("alfa", "bravo")
    world.respond("bravo", "alfa", accept=False)
    assert table(world) == expected(REQUIRED, REQUIRED)


def test_m06_an_approval_ends_at_its_instant_and_lets_nothing_through_after(
    world: Project, clock: ManualClock
) -> None:
    world.register("bravo")
    world.approve("alfa", "bravo", ttl_seconds=60)
    clock.advance(seconds=59.999999)
    assert table(world) == expected(LET, LET)
    clock.advance(microseconds=1)
    assert table(world) == expected(REQUIRED, REQUIRED)
    world.call("SetContactPolicy", agent_name="bravo", policy="contacts_only")
    refusal = refused(lambda: world.send("alfa", "bravo"))
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, REQUIRED)
    assert [contact.status for contact in world.contacts("bravo")] == ["pending"]


def test_an_approval_of_respond_contact_lasts_for_good(world: Project, clock: ManualClock) -> None:
    world.register("bravo")
    assert not world.approve("alfa", "bravo").HasField("expires_at")
    clock.advance(days=36_500)
    assert outcome(world) == LET


@pytest.mark.parametrize("by", ["message", "cc", "bcc", "mail", "broadcast"])
def test_auto_lets_through_whoever_the_recipient_has_written_to(world: Project, by: str) -> None:
    bravo = world.register("bravo", "auto")
    alfa = world.call("ListProjectAgents").agents[0]
    if by == "mail":
        world.room.send(bravo.id, alfa.id)
    elif by == "broadcast":
        world.send("bravo", broadcast=True)
    elif by == "message":
        world.send("bravo", "alfa")
    else:
        world.send("bravo", **{by: ["alfa"]})
    assert table(world) == expected(LET, REQUIRED)


def test_auto_does_not_count_what_the_sender_wrote_itself(world: Project) -> None:
    bravo = world.register("bravo", "open")
    alfa = world.call("ListProjectAgents").agents[0]
    world.send("alfa", "bravo")
    world.room.send(alfa.id, bravo.id)
    assert table(world)["auto"] == REQUIRED


@pytest.mark.parametrize("by", ["message", "mail"])
def test_auto_remembers_what_was_written_after_it_is_swept(
    world: Project, clock: ManualClock, by: str
) -> None:
    bravo = world.register("bravo", "auto")
    if by == "mail":
        world.room.send(bravo.id, "alfa")
    else:
        world.send("bravo", "alfa")
    clock.advance(days=60)
    store = world.room.office.store
    store.sweep(expired_before=clock.now(), answered_before=clock.now())
    assert outcome(world) == LET


def test_auto_does_not_count_a_notice_or_what_was_refused(world: Project) -> None:
    world.register("bravo", "auto")
    world.call("SetContactPolicy", agent_name="alfa", policy="contacts_only")
    assert refused(lambda: world.send("bravo", "alfa")).reason == REQUIRED
    assert outcome(world) == REQUIRED


def test_m04_ack_required_gets_past_no_policy(world: Project) -> None:
    world.register("bravo", "contacts_only")
    world.register("carol", "block_all")
    for to, reason in (("bravo", REQUIRED), ("carol", "POLICY_FORBIDS")):
        for ack_required in (False, True):
            assert outcome(world, to, ack_required=ack_required) == reason
            assert outcome(world, to, ack_required=ack_required, importance="urgent") == reason


def test_block_all_forbids_and_asks_for_nothing(world: Project) -> None:
    bravo, carol = world.register("bravo", "block_all"), world.register("carol", "block_all")
    world.register("delta", "contacts_only")
    refusal = world.unsent("alfa", "delta", "bravo", "carol", auto_contact_if_blocked=True)
    assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "POLICY_FORBIDS")
    assert "bravo, carol" in refusal.message
    assert "delta" not in refusal.message
    assert world.requests(bravo) == world.requests(carol) == []


def test_one_who_requires_contact_holds_up_everybody_named(world: Project) -> None:
    world.register("bravo", "contacts_only")
    world.register("carol")
    refusal = world.unsent("alfa", "carol", cc=["bravo"], auto_contact_if_blocked=False)
    assert refusal.reason == REQUIRED
    assert world.ids("carol") == []


def test_policies_do_not_guard_send_mail(world: Project) -> None:
    bravo = world.register("bravo", "block_all")
    alfa = world.call("ListProjectAgents").agents[0]
    world.room.send(alfa.id, bravo.id)
    assert len(world.room.received(bravo.id)) == 1
