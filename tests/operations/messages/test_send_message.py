"""SendMessage: what is answered, what is stored, and what each recipient finds."""

import pytest

from agent.v1.mail_pb2 import MAIL_KIND_PLAIN
from postroom.storage.store import Store
from tests.doubles import ManualClock
from tests.operations.messages.world import KEY, Project
from tests.operations.tables import contents
from tests.room import Room

NOW = "2026-12-01T09:30:00.000000Z"


def test_the_answer_has_one_delivery_for_the_project(project: Project) -> None:
    project.agents("alfa", "bravo", "carol", "delta")
    answer = project.send(
        "alfa",
        "bravo",
        cc=["carol"],
        bcc=["delta"],
        subject="  Plan for /api/users  ",
        body_md="See *below*.\r\n",
        importance="urgent",
        ack_required=True,
        topic="br-abc.1",
        thread_id="t-1",
    )
    assert (answer.count, len(answer.deliveries), list(answer.broadcast_skipped)) == (1, 1, [])
    (delivery,) = answer.deliveries
    payload = delivery.payload
    assert delivery.project == KEY
    assert (payload.to, payload.cc, payload.bcc) == (["bravo"], ["carol"], ["delta"])
    assert (getattr(payload, "from"), payload.subject) == ("alfa", "Plan for /api/users")
    assert (payload.body_md, payload.importance) == ("See *below*.\r\n", "urgent")
    assert (payload.ack_required, payload.topic, payload.thread_id) == (True, "br-abc.1", "t-1")
    assert payload.created_at == NOW
    assert payload.id.startswith("msg_")
    unset = ("reply_to", "mail_id", "kind", "read_at", "acknowledged_at", "snippet")
    assert not [name for name in unset if payload.HasField(name)]


def test_what_is_left_out_has_its_default(project: Project) -> None:
    project.agents("alfa", "bravo")
    payload = project.message("alfa", "bravo")
    assert (payload.importance, payload.ack_required, payload.topic) == ("normal", False, "")
    assert payload.thread_id == payload.id
    assert not payload.attachments


def test_each_recipient_finds_its_own_copy(project: Project) -> None:
    alfa, *others = project.agents("alfa", "bravo", "carol", "delta")
    sent = project.message("alfa", "bravo", cc=["carol"], bcc=["delta"], body_md="**x**")
    for agent, kind in zip(others, ("to", "cc", "bcc"), strict=True):
        (listed,) = project.inbox(agent.name)
        (mail,) = project.room.received(agent.id)
        assert (listed.id, listed.kind, listed.mail_id) == (sent.id, kind, mail.id)
        assert (mail.message_id, mail.body, mail.kind) == (sent.id, "**x**", MAIL_KIND_PLAIN)
        assert (mail.from_agent_id, mail.from_name) == (alfa.id, "alfa")
        assert not mail.HasField("reply_to")
        assert not mail.HasField("claimed_at")
        assert not listed.HasField("read_at")
    assert project.inbox("alfa") == []
    own = project.room.received(alfa.id, direction="MAIL_DIRECTION_SENT")
    assert {mail.message_id for mail in own} == {sent.id}
    assert len(own) == 3


def test_c21_m30_a_name_twice_is_one_delivery_under_the_first_list(project: Project) -> None:
    project.agents("alfa", "bravo", "carol")
    sent = project.message(
        "carol", "alfa", "alfa", cc=["alfa", "bravo", "bravo"], bcc=["bravo", "alfa"]
    )
    assert (sent.to, sent.cc, sent.bcc) == (["alfa"], ["bravo"], [])
    assert project.ids("alfa") == project.ids("bravo") == [sent.id]


def test_c21_a_hidden_recipient_is_not_shown_to_the_other(project: Project) -> None:
    project.agents("alfa", "bravo", "carol")
    sent = project.message("carol", "alfa", "alfa", cc=["alfa"], bcc=["bravo"])
    assert (sent.to, sent.cc, sent.bcc) == (["alfa"], [], ["bravo"])
    assert [list(one.bcc) for one in project.inbox("alfa")] == [[]]
    assert [list(one.bcc) for one in project.inbox("bravo")] == [["bravo"]]


@pytest.mark.parametrize("field", ["to", "cc", "bcc"])
def test_one_of_the_three_lists_is_enough(project: Project, field: str) -> None:
    project.agents("alfa", "bravo")
    sent = project.call(
        "SendMessage", sender_name="alfa", subject="s", body_md="b", **{field: ["bravo"]}
    )
    assert project.ids("bravo") == [sent.deliveries[0].payload.id]


def test_recipients_stay_in_the_order_given(project: Project) -> None:
    project.agents("alfa", "zulu", "mike", "bravo", "echo", "Yoke", "x1")
    sent = project.message("alfa", "zulu", "bravo", cc=["x1", "Yoke"], bcc=["mike", "echo"])
    assert (sent.to, sent.cc, sent.bcc) == (["zulu", "bravo"], ["x1", "Yoke"], ["mike", "echo"])
    shown = project.call("GetMessage", project.room.call("GetAgent").agent.id, message_id=sent.id)
    assert (shown.message.to, shown.message.cc) == (sent.to, sent.cc)


@pytest.mark.parametrize("word", ["low", "normal", "high", "urgent", "BLOCKER", "f" * 32])
def test_any_word_of_importance_is_kept(project: Project, word: str) -> None:
    project.agents("alfa", "bravo")
    project.message("alfa", "bravo", importance=f" {word} ".strip())
    assert [one.importance for one in project.inbox("bravo")] == [word]
    assert len(project.ids("bravo", urgent_only=True)) == (word in ("high", "urgent"))


def test_a_thread_is_joined_begun_or_named_by_its_message(project: Project) -> None:
    project.agents("alfa", "bravo", "carol")
    first = project.message("alfa", "bravo")
    assert first.thread_id == first.id
    joined = project.message("bravo", "alfa", thread_id=first.id)
    begun = project.message("carol", "alfa", thread_id="unseen")
    assert (joined.thread_id, begun.thread_id) == (first.id, "unseen")
    assert not joined.HasField("reply_to")
    threads = project.call("ListThreads", agent_name="alfa").threads
    assert [(one.thread_id, one.message_count) for one in threads] == [("unseen", 1), (first.id, 2)]


def test_m10_sending_alone_is_activity(project: Project, clock: ManualClock) -> None:
    alfa, bravo = project.agents("alfa", "bravo")
    clock.advance(hours=2)
    project.send("alfa", "bravo")
    agents = {agent.id: agent.last_active_at for agent in project.call("ListProjectAgents").agents}
    assert agents == {alfa.id: "2026-12-01T11:30:00.000000Z", bravo.id: NOW}


def test_a_message_and_its_entry_for_the_archive_are_one(
    project: Project, store: Store, room: Room
) -> None:
    project.agents("alfa", "bravo", "carol")
    sent = project.message("alfa", "bravo", "carol")
    (entry,) = store.read(lambda session: session.outbox(after=0, limit=9))
    workflow = room.call("EnsureProject", project_key=KEY).project
    assert (entry.project_id, entry.id) == (workflow.id, sent.id)
    held = contents(store)
    assert len(held["MessageRow"]) == 1
    assert len(held["ParticipantRow"]) == 3
    assert len(held["MailRow"]) == 2


def test_m09_an_idle_agent_stays_and_its_mail_waits(project: Project, clock: ManualClock) -> None:
    project.agents("alfa", "bravo")
    clock.advance(days=30)
    sent = project.message("alfa", "bravo")
    clock.advance(days=6)
    assert project.ids("bravo", unread_only=True) == [sent.id]


def test_m25_every_instant_is_rfc_3339_in_utc(project: Project) -> None:
    _, bravo = project.agents("alfa", "bravo")
    sent = project.message("alfa", "bravo")
    for method in ("MarkMessageRead", "AcknowledgeMessage"):
        project.call(method, agent_name="bravo", message_id=sent.id)
    (listed,) = project.inbox("bravo")
    (thread,) = project.call("ListThreads", agent_name="bravo").threads
    told = [listed.created_at, listed.read_at, listed.acknowledged_at]
    assert {*told, thread.first_at, thread.last_at} == {NOW}
    contact = project.ask("alfa", "bravo")
    assert contact.updated_at == NOW
    assert contact.expires_at == "2026-12-08T09:30:00.000000Z"
    assert bravo.created_at == NOW
