"""SendMail: who gets it, and what is stored."""

from collections.abc import Callable

import pytest

from agent.v1.agent_pb2 import AGENT_STATE_DORMANT, AGENT_STATE_RUNNING
from agent.v1.mail_pb2 import MAIL_KIND_PLAIN, Mail
from postroom.errors import Code, Resource
from postroom.storage.store import Store
from tests.operations.tables import contents
from tests.room import Room, refused


def test_the_answer_holds_the_mail_as_it_was_stored(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    first = room.send(bravo.id, alfa.id, "question")
    sent = room.send(alfa.id, "bravo", "answer", reply_to=first.id)
    assert sent == Mail(
        id=sent.id,
        from_agent_id=alfa.id,
        from_name="alfa",
        to_agent_id=bravo.id,
        body="answer",
        reply_to=first.id,
        created_at="2026-12-01T09:30:00.000000Z",
        expires_at="2026-12-08T09:30:00.000000Z",
        kind=MAIL_KIND_PLAIN,
    )
    assert sent.id.startswith("mail_")
    assert not sent.HasField("claimed_at")
    assert not sent.HasField("message_id")
    assert room.received(bravo.id) == [sent]
    assert room.received(alfa.id, direction="MAIL_DIRECTION_SENT") == [sent]


def test_mail_that_answers_nothing_has_no_reply_to(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    assert not room.send(alfa.id, bravo.id).HasField("reply_to")


def test_mail_is_kept_for_the_configured_time(limited: Callable[..., Room]) -> None:
    room = limited(mail_ttl=90)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    assert room.send(alfa.id, bravo.id).expires_at == "2026-12-01T09:31:30.000000Z"


def test_c05_a_name_and_an_id_reach_the_same_mailbox(room: Room) -> None:
    alfa, reviewer = room.agent("alfa"), room.agent("reviewer")
    by_name = room.send(alfa.id, "reviewer", "by name")
    by_id = room.send(alfa.id, reviewer.id, "by id")
    assert by_name.to_agent_id == by_id.to_agent_id == reviewer.id
    assert [mail.body for mail in room.received(reviewer.id)] == ["by id", "by name"]


@pytest.mark.parametrize(
    "address",
    [
        "agt_00000000000000000000000000",
        "agt_",
        "mail_1",
        "wfl_1",
        "msg_1",
        "bravo ",
        " bravo",
        "Bravo",
        "brav",
        "nobody",
        "postroom",
        "Operator",
    ],
)
def test_c03_an_address_that_nobody_answers_to_is_not_found(
    room: Room, store: Store, address: str
) -> None:
    alfa, _ = room.agent("alfa"), room.agent("bravo")
    before = contents(store)
    refusal = refused(lambda: room.send(alfa.id, address))
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "AGENT_NOT_FOUND")
    (resource,) = refusal.resources
    assert (resource.type, resource.name) == ("agent", address)
    assert contents(store) == before
    assert not room.received(alfa.id, direction="MAIL_DIRECTION_SENT")


def test_the_id_of_a_piece_of_mail_is_no_address(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    mail = room.send(alfa.id, bravo.id)
    assert refused(lambda: room.send(bravo.id, mail.id)).reason == "AGENT_NOT_FOUND"


def test_a_misspelt_name_is_answered_with_names_like_it(room: Room) -> None:
    alfa, _ = room.agent("alfa"), room.agent("reviewer")
    assert "did you mean reviewer?" in refused(lambda: room.send(alfa.id, "reviwer")).message


def test_a_name_in_the_senders_own_workflow_goes_before_one_elsewhere(room: Room) -> None:
    alfa, near = room.agent("alfa"), room.agent("bravo")
    room.agent("bravo", "other")
    assert room.send(alfa.id, "bravo").to_agent_id == near.id


def test_a_name_that_only_another_workflow_has_is_found_there(room: Room) -> None:
    alfa, far = room.agent("alfa"), room.agent("bravo", "other")
    assert room.send(alfa.id, "bravo").to_agent_id == far.id


def test_a_name_that_two_other_workflows_have_is_refused_with_its_holders(room: Room) -> None:
    alfa, one, two = room.agent("alfa"), room.agent("bravo", "one"), room.agent("bravo", "two")
    refusal = refused(lambda: room.send(alfa.id, "bravo"))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "NAME_AMBIGUOUS")
    assert [violation.field for violation in refusal.violations] == ["to"]
    assert refusal.resources == (
        Resource("agent", one.id, f"workflow {one.workflow_id}"),
        Resource("agent", two.id, f"workflow {two.workflow_id}"),
    )
    for holder in (one, two):
        assert holder.id in refusal.message
        assert holder.workflow_id in refusal.message


def test_an_archived_holder_makes_no_name_ambiguous(room: Room) -> None:
    alfa, one, two = room.agent("alfa"), room.agent("bravo", "one"), room.agent("bravo", "two")
    room.call("ArchiveAgent", id=one.id)
    assert room.send(alfa.id, "bravo").to_agent_id == two.id


def test_an_archived_agent_of_the_own_workflow_does_not_hide_one_elsewhere(room: Room) -> None:
    alfa, near, far = room.agent("alfa"), room.agent("bravo"), room.agent("bravo", "other")
    room.call("ArchiveAgent", id=near.id)
    assert room.send(alfa.id, "bravo").to_agent_id == far.id


def test_the_operator_looks_for_names_in_every_workflow(room: Room) -> None:
    room.agent("bravo", "one")
    room.agent("bravo", "two")
    only = room.agent("alfa", "two")
    assert room.send("", "alfa").to_agent_id == only.id
    assert refused(lambda: room.send("", "bravo")).reason == "NAME_AMBIGUOUS"


def test_the_person_is_reached_by_the_reserved_id_and_writes_under_it(room: Room) -> None:
    alfa = room.agent("alfa")
    sent = room.send(alfa.id, "operator", "help")
    assert (sent.to_agent_id, room.received("")) == ("operator", [sent])
    answer = room.send("", alfa.id)
    assert (answer.from_agent_id, answer.from_name) == ("operator", "operator")


def test_c07_an_archived_agent_gets_no_mail_by_id_and_has_no_name(room: Room, store: Store) -> None:
    alfa, carol = room.agent("alfa"), room.agent("carol")
    room.call("ArchiveAgent", id=carol.id)
    before = contents(store)
    by_id = refused(lambda: room.send(alfa.id, carol.id))
    assert (by_id.code, by_id.reason) == (Code.FAILED_PRECONDITION, "RECIPIENT_ARCHIVED")
    assert [(r.type, r.name) for r in by_id.resources] == [("agent", carol.id)]
    by_name = refused(lambda: room.send(alfa.id, "carol"))
    assert (by_name.code, by_name.reason) == (Code.NOT_FOUND, "AGENT_NOT_FOUND")
    assert contents(store) == before


def test_a_name_goes_over_to_the_agent_that_takes_it_after_an_archived_one(room: Room) -> None:
    alfa, old = room.agent("alfa"), room.agent("carol")
    room.call("ArchiveAgent", id=old.id)
    new = room.agent("carol")
    assert room.send(alfa.id, "carol").to_agent_id == new.id


def test_the_answer_warns_exactly_while_the_recipient_is_dormant(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")

    def warning() -> str:
        return str(room.call("SendMail", alfa.id, to=bravo.id, body="hello").warning)

    assert warning() == ""
    room.call("SetAgentState", id=bravo.id, state=AGENT_STATE_DORMANT)
    assert "bravo" in warning()
    assert "dormant" in warning()
    room.call("SetAgentState", id=bravo.id, state=AGENT_STATE_RUNNING)
    assert warning() == ""
    assert room.call("SendMail", alfa.id, to="operator", body="hello").warning == ""


def test_a_dormant_sender_is_not_warned_of(room: Room) -> None:
    alfa, bravo = room.agent("alfa", state=AGENT_STATE_DORMANT), room.agent("bravo")
    assert room.call("SendMail", alfa.id, to=bravo.id, body="hello").warning == ""
