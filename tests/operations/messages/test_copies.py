"""A recipient's copy is mail: listed, claimed, answered and expired like any other."""

from collections.abc import Callable

import pytest

from agent.v1.agent_pb2 import Agent
from postroom.errors import Code
from postroom.storage.store import Store
from tests.doubles import ManualClock
from tests.operations.messages.world import Project
from tests.room import Room, refused


@pytest.fixture
def trio(project: Project) -> list[Agent]:
    """Three open agents."""
    return project.agents("alfa", "bravo", "carol")


def test_c11_claiming_a_copy_is_reading_the_message(
    project: Project, trio: list[Agent], clock: ManualClock
) -> None:
    bravo = trio[1]
    sent = project.message("alfa", "bravo", "carol")
    clock.advance(seconds=1)
    (mail,) = project.room.call("ReadMail", bravo.id).mail
    assert (mail.message_id, mail.claimed_at) == (sent.id, "2026-12-01T09:30:01.000000Z")
    (listed,) = project.inbox("bravo")
    assert listed.read_at == mail.claimed_at
    assert not project.inbox("carol")[0].HasField("read_at")
    clock.advance(seconds=1)
    marked = project.call("MarkMessageRead", agent_name="bravo", message_id=sent.id)
    assert marked.read_at == mail.claimed_at
    assert project.room.received(bravo.id) == [mail]


def test_c11_a_message_that_is_marked_is_claimed_for_every_view(
    project: Project, trio: list[Agent], clock: ManualClock
) -> None:
    bravo = trio[1]
    sent = project.message("alfa", "bravo")
    clock.advance(seconds=1)
    marked = project.call("MarkMessageRead", agent_name="bravo", message_id=sent.id)
    assert marked.read_at == "2026-12-01T09:30:01.000000Z"
    (mail,) = project.room.received(bravo.id)
    assert mail.claimed_at == marked.read_at
    assert not project.room.call("ReadMail", bravo.id).mail
    assert project.room.call("GetAgent", id=bravo.id).agent.waiting == 0
    assert project.ids("bravo", unread_only=True) == []


def test_an_answer_names_the_piece_that_it_answers_in_its_recipients_words(
    project: Project, trio: list[Agent]
) -> None:
    alfa, bravo, carol = trio
    sent = project.message("alfa", "bravo", "carol")
    (to_bravo,), (to_carol,) = (project.room.received(agent.id) for agent in (bravo, carol))
    answer = project.reply("bravo", sent.id, cc=["carol"])
    assert project.room.received(alfa.id)[0].reply_to == to_bravo.id
    assert not project.room.received(carol.id)[0].HasField("reply_to")
    assert answer.reply_to == sent.id
    project.reply("alfa", sent.id)
    assert project.room.received(bravo.id)[0].reply_to == to_bravo.id
    assert project.room.received(carol.id)[0].reply_to == to_carol.id


def test_a_copy_can_be_answered_with_send_mail_by_its_parties(
    project: Project, trio: list[Agent]
) -> None:
    alfa, bravo, carol = trio
    project.message("alfa", "bravo", "carol")
    (copy,) = project.room.received(bravo.id)
    answer = project.room.send(bravo.id, alfa.id, "yes", reply_to=copy.id)
    assert answer.reply_to == copy.id
    assert not answer.HasField("message_id")
    project.room.send(alfa.id, bravo.id, "and", reply_to=copy.id)
    refusal = refused(lambda: project.room.send(carol.id, alfa.id, "me", reply_to=copy.id))
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "MAIL_NOT_FOUND")
    refusal = refused(lambda: project.room.send(bravo.id, carol.id, "me", reply_to=copy.id))
    assert refusal.code is Code.INVALID_ARGUMENT


def test_a_copy_expires_and_the_message_stays(
    project: Project, trio: list[Agent], limited: Callable[..., Room], clock: ManualClock
) -> None:
    project.room = limited(mail_ttl=60)
    sent = project.message("alfa", "bravo", topic="t")
    clock.advance(seconds=59.999999)
    assert project.ids("bravo") == [sent.id]
    clock.advance(microseconds=1)
    assert project.inbox("bravo") == []
    assert project.room.received(trio[1].id) == []
    read = project.call("GetMessage", trio[1].id, message_id=sent.id).message
    assert (read.id, read.body_md) == (sent.id, "see below")
    topic = project.call("FetchTopic", agent_name="bravo", topic="t")
    assert [one.id for one in topic.messages] == [sent.id]
    assert project.found("bravo", "plan") == [sent.id]


def test_when_a_copy_was_read_is_known_after_it_is_swept(
    project: Project, trio: list[Agent], clock: ManualClock, store: Store
) -> None:
    bravo = trio[1]
    sent = project.message("alfa", "bravo", "carol")
    project.room.call("ReadMail", bravo.id)
    project.call("AcknowledgeMessage", agent_name="carol", message_id=sent.id)
    clock.advance(days=60)
    assert store.sweep(expired_before=clock.now(), answered_before=0) == 2
    for agent in trio[1:]:
        found = project.call("GetMessage", agent.id, message_id=sent.id).message
        assert found.HasField("read_at") == (agent.name == "bravo")
        assert found.HasField("acknowledged_at") == (agent.name == "carol")
    first = "2026-12-01T09:30:00.000000Z"
    again = project.call("MarkMessageRead", agent_name="bravo", message_id=sent.id)
    assert again.read_at == first
    late = project.call("MarkMessageRead", agent_name="carol", message_id=sent.id)
    assert (late.read_at, late.acknowledged_at) == ("2027-01-30T09:30:00.000000Z", first)
    later = project.call("AcknowledgeMessage", agent_name="bravo", message_id=sent.id)
    assert (later.read_at, later.acknowledged_at) == (first, "2027-01-30T09:30:00.000000Z")


def test_a_copy_that_expired_unread_can_be_marked_and_keeps_the_first_time(
    project: Project, trio: list[Agent], clock: ManualClock, store: Store
) -> None:
    assert trio
    sent = project.message("alfa", "bravo")
    clock.advance(days=8)
    marked = project.call("MarkMessageRead", agent_name="bravo", message_id=sent.id)
    assert marked.read_at == "2026-12-09T09:30:00.000000Z"
    clock.advance(days=60)
    store.sweep(expired_before=clock.now(), answered_before=0)
    again = project.call("MarkMessageRead", agent_name="bravo", message_id=sent.id)
    assert again == marked


def test_m19_listing_marks_nothing_and_hides_nothing(project: Project, trio: list[Agent]) -> None:
    sent = [project.message("alfa", "bravo").id for _ in range(4)]
    first = project.inbox("bravo")
    assert [one.id for one in first] == sent[::-1]
    assert project.inbox("bravo") == first
    assert not [one for one in first if one.HasField("read_at")]
    assert project.room.call("GetAgent", id=trio[1].id).agent.waiting == 4


def test_m21_an_inbox_holds_what_its_agent_got_alone(project: Project, trio: list[Agent]) -> None:
    assert trio
    one, two = project.message("alfa", "bravo"), project.message("bravo", "carol")
    assert project.ids("alfa") == []
    assert project.ids("bravo") == [one.id]
    assert project.ids("carol") == [two.id]


def test_mail_that_is_no_copy_is_in_no_inbox_of_messages(
    project: Project, trio: list[Agent]
) -> None:
    alfa, bravo, _ = trio
    project.room.send(alfa.id, bravo.id)
    assert project.inbox("bravo") == []
    assert project.found("bravo", "hello") == []
