"""SendMessage: the limits of pairs and mailboxes count each copy once."""

from collections.abc import Callable

import pytest

from agent.v1.mail_pb2 import MAIL_KIND_EXCHANGE_CAPPED
from postroom.errors import Code, Quota
from tests.doubles import ManualClock
from tests.operations.messages.world import Project
from tests.room import Room, refused


def capped(project: Project, agent_id: str) -> list[str]:
    """The notices of spent exchanges in a mailbox."""
    mail = project.room.received(agent_id)
    return [each.body for each in mail if each.kind == MAIL_KIND_EXCHANGE_CAPPED]


def test_a_message_counts_once_for_each_pair(
    project: Project, limited: Callable[..., Room]
) -> None:
    project.room = limited(exchange=2)
    alfa, bravo, _ = project.agents("alfa", "bravo", "carol")
    project.send("alfa", "bravo", "bravo", cc=["bravo", "carol"], bcc=["carol"])
    project.room.send(bravo.id, alfa.id)
    for sender, to in (("alfa", "bravo"), ("bravo", "alfa")):
        refusal = project.unsent(sender, "carol", cc=[to])
        assert (refusal.code, refusal.reason) == (Code.RESOURCE_EXHAUSTED, "EXCHANGE_CAPPED")
        ids = (alfa.id, bravo.id) if sender == "alfa" else (bravo.id, alfa.id)
        assert refusal.quota == Quota(f"pair:{ids[0]},{ids[1]}", refusal.message)
        assert refusal.retry_after is None
    assert len(project.ids("carol")) == 1
    assert refused(lambda: project.room.send(alfa.id, bravo.id)).reason == "EXCHANGE_CAPPED"
    project.send("alfa", "carol")
    project.send("bravo", "carol")


def test_the_copy_that_spends_a_pair_is_followed_by_a_notice_to_each(
    project: Project, limited: Callable[..., Room]
) -> None:
    project.room = limited(exchange=2)
    alfa, bravo, carol, delta = project.agents("alfa", "bravo", "carol", "delta")
    project.send("alfa", "bravo", "carol")
    assert not any(capped(project, agent.id) for agent in (alfa, bravo, carol))
    project.send("alfa", "bravo", "carol", "delta")
    assert [len(capped(project, a.id)) for a in (alfa, bravo, carol, delta)] == [2, 1, 1, 0]
    assert {name in text for text in capped(project, bravo.id) for name in ("alfa", "2")} == {True}
    told = "".join(capped(project, alfa.id))
    assert "bravo" in told
    assert "carol" in told
    assert len(project.ids("bravo")) == 2


def test_a_mailbox_takes_copies_and_mail_up_to_its_limit(
    project: Project, limited: Callable[..., Room]
) -> None:
    project.room = limited(mailbox=2)
    alfa, bravo, _ = project.agents("alfa", "bravo", "carol")
    project.send("alfa", "bravo", cc=["bravo"])
    project.room.send(alfa.id, bravo.id)
    refusal = project.unsent("carol", "alfa", bcc=["bravo"])
    assert (refusal.code, refusal.reason) == (Code.RESOURCE_EXHAUSTED, "MAILBOX_FULL")
    assert refusal.quota == Quota(f"agent:{bravo.id}", refusal.message)
    assert project.ids("alfa") == []


@pytest.mark.parametrize("way", ["claim", "mark", "expiry"])
def test_a_copy_that_is_read_or_expires_frees_exactly_its_place(
    project: Project, limited: Callable[..., Room], clock: ManualClock, way: str
) -> None:
    project.room = limited(mailbox=2, mail_ttl=60)
    _, bravo = project.agents("alfa", "bravo")
    first = project.message("alfa", "bravo")
    clock.advance(seconds=30)
    project.send("alfa", "bravo")
    if way == "claim":
        project.room.call("ReadMail", bravo.id, limit=1)
    elif way == "mark":
        project.call("MarkMessageRead", agent_name="bravo", message_id=first.id)
        project.call("MarkMessageRead", agent_name="bravo", message_id=first.id)
    else:
        clock.advance(seconds=30)
    assert project.room.call("GetAgent", id=bravo.id).agent.waiting == 1
    project.send("alfa", "bravo")
    assert project.unsent("alfa", "bravo").reason == "MAILBOX_FULL"


def test_acknowledging_frees_no_place(project: Project, limited: Callable[..., Room]) -> None:
    project.room = limited(mailbox=1)
    project.agents("alfa", "bravo")
    sent = project.message("alfa", "bravo")
    project.call("AcknowledgeMessage", agent_name="bravo", message_id=sent.id)
    assert project.unsent("alfa", "bravo").reason == "MAILBOX_FULL"


def test_marking_the_later_of_two_leaves_the_first_to_be_claimed(
    project: Project, limited: Callable[..., Room]
) -> None:
    project.room = limited(mailbox=3)
    _, bravo = project.agents("alfa", "bravo")
    first, second, third = (project.message("alfa", "bravo") for _ in range(3))
    project.call("MarkMessageRead", agent_name="bravo", message_id=second.id)
    project.send("alfa", "bravo")
    assert project.unsent("alfa", "bravo").reason == "MAILBOX_FULL"
    answer = project.room.call("ReadMail", bravo.id, limit=2)
    assert [mail.message_id for mail in answer.mail] == [first.id, third.id]
    assert answer.remaining == 1
    project.send("alfa", "bravo")
    project.send("alfa", "bravo")
    assert project.unsent("alfa", "bravo").reason == "MAILBOX_FULL"


def test_a_refused_message_spends_nothing(project: Project, limited: Callable[..., Room]) -> None:
    project.room = limited(mailbox=1, exchange=2)
    _, bravo, carol = project.agents("alfa", "bravo", "carol")
    project.send("alfa", "bravo")
    for _ in range(3):
        assert project.unsent("alfa", "carol", "bravo").reason == "MAILBOX_FULL"
    project.room.call("ReadMail", bravo.id)
    project.send("alfa", "carol", "bravo")
    project.room.call("ReadMail", carol.id)
    project.send("alfa", "carol")
    assert project.unsent("alfa", "carol").reason == "EXCHANGE_CAPPED"


def test_a_request_for_contact_takes_no_place_and_spends_nothing(
    project: Project, limited: Callable[..., Room]
) -> None:
    project.room = limited(mailbox=1, exchange=1)
    project.register("alfa")
    bravo = project.register("bravo", "contacts_only")
    assert refused(lambda: project.send("alfa", "bravo")).reason == "CONTACT_REQUIRED"
    assert len(project.requests(bravo)) == 1
    project.respond("bravo", "alfa", accept=True)
    project.send("alfa", "bravo")


def test_a_full_mailbox_still_gets_a_request_for_contact(
    project: Project, limited: Callable[..., Room]
) -> None:
    project.room = limited(mailbox=1)
    alfa = project.register("alfa")
    bravo = project.register("bravo", "contacts_only")
    project.room.send(alfa.id, bravo.id)
    project.ask("alfa", "bravo")
    assert len(project.requests(bravo)) == 1
