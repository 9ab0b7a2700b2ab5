"""ReplyMessage: who may answer, who gets the answer, and what it keeps."""

from functools import partial
from typing import Any

import pytest

from postroom.errors import Code
from tests.operations.messages.world import Project
from tests.room import Room, refused


@pytest.fixture
def four(project: Project) -> Project:
    """Alfa has written to bravo, with copies to carol and, hidden, delta."""
    project.agents("alfa", "bravo", "carol", "delta", "echo")
    return project


@pytest.fixture
def sent(four: Project) -> str:
    """The id of that message."""
    first = four.message(
        "alfa",
        "bravo",
        cc=["carol"],
        bcc=["delta"],
        topic="t-1",
        importance="high",
        ack_required=True,
    )
    return str(first.id)


@pytest.mark.parametrize("who", ["bravo", "carol", "delta"])
def test_an_answer_goes_to_whoever_wrote_and_to_nobody_else(
    four: Project, sent: str, who: str
) -> None:
    before = {name: four.ids(name) for name in ("bravo", "carol", "delta")}
    answer = four.reply(who, sent)
    assert (answer.to, answer.cc, answer.bcc) == (["alfa"], [], [])
    assert four.ids("alfa") == [answer.id]
    assert {name: four.ids(name) for name in before} == before


def test_an_answer_keeps_thread_topic_importance_and_subject(four: Project, sent: str) -> None:
    answer = four.reply("bravo", sent)
    assert (answer.thread_id, answer.reply_to, answer.topic) == (sent, sent, "t-1")
    assert (answer.importance, answer.ack_required, answer.subject) == ("high", False, "Re: plan")
    again = four.reply("alfa", answer.id, importance="low", ack_required=True, subject=" new ")
    assert (again.thread_id, again.reply_to, again.importance) == (sent, answer.id, "low")
    assert (again.ack_required, again.subject) == (True, "new")
    assert four.reply("alfa", answer.id).subject == "Re: plan"


def test_m15_an_answer_to_ones_own_message_goes_to_its_recipients(four: Project, sent: str) -> None:
    answer = four.reply("alfa", sent)
    assert (answer.to, answer.cc, answer.bcc) == (["bravo"], [], [])
    assert four.ids("alfa") == []
    assert four.ids("bravo") == [answer.id, sent]
    assert four.ids("carol") == four.ids("delta") == [sent]


def test_others_may_be_named_instead_and_besides(four: Project, sent: str) -> None:
    answer = four.reply("bravo", sent, to=["carol"], bcc=["echo"])
    assert (answer.to, answer.cc, answer.bcc) == (["carol"], [], ["echo"])
    assert four.ids("alfa") == []
    more = four.reply("bravo", sent, cc=["carol", "alfa"], bcc=["alfa", "echo"])
    assert (more.to, more.cc, more.bcc) == (["alfa"], ["carol"], ["echo"])


def test_hidden_recipients_are_never_carried_over(four: Project, sent: str) -> None:
    for who in ("alfa", "bravo", "carol"):
        answer = four.reply(who, sent)
        assert list(answer.bcc) == []
    assert four.ids("delta") == [sent]


@pytest.mark.parametrize("who", ["echo", "outsider"])
def test_for_anybody_else_the_message_is_not_there(four: Project, sent: str, who: str) -> None:
    Project(four.room, "/other").agents("outsider")
    if who == "outsider":
        other = Project(four.room, "/other")
        other.register("insider")
        refusal = other.refusal(partial(other.reply, "outsider", sent))
    else:
        refusal = four.refusal(partial(four.reply, who, sent))
    unseen = four.refusal(partial(four.reply, "echo", "msg_unseen"))
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "MESSAGE_NOT_FOUND")
    assert refusal.message.replace(sent, "") == unseen.message.replace("msg_unseen", "")


def test_m05_an_answer_is_held_to_the_policies_like_a_send(four: Project, sent: str) -> None:
    four.call("SetContactPolicy", agent_name="echo", policy="block_all")
    refusal = four.refusal(partial(four.reply, "bravo", sent, to=["echo"]))
    assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "POLICY_FORBIDS")
    four.call("SetContactPolicy", agent_name="alfa", policy="block_all")
    assert four.refusal(partial(four.reply, "bravo", sent)).reason == "POLICY_FORBIDS"
    four.call("SetContactPolicy", agent_name="alfa", policy="contacts_only")
    assert refused(partial(four.reply, "bravo", sent)).reason == "CONTACT_REQUIRED"
    four.call("SetContactPolicy", agent_name="alfa", policy="auto")
    four.reply("bravo", sent)


def test_m18_an_id_that_the_inbox_returned_can_be_answered(four: Project, sent: str) -> None:
    (listed,) = four.inbox("bravo")
    assert listed.id == sent
    assert four.reply("bravo", listed.id).reply_to == sent


def test_an_answer_never_goes_to_a_successor_of_whoever_wrote(four: Project, sent: str) -> None:
    alfa, bravo, *_ = four.call("ListProjectAgents").agents
    four.archive(alfa)
    refusal = four.refusal(partial(four.reply, "bravo", sent))
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, "RECIPIENT_ARCHIVED")
    four.register("alfa")
    refusal = four.refusal(partial(four.reply, "bravo", sent))
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, "RECIPIENT_ARCHIVED")
    assert [resource.name for resource in refusal.resources] == [alfa.id]
    answer = four.reply("bravo", sent, to=["alfa"])
    assert four.ids("alfa") == [answer.id]
    assert bravo.name == "bravo"


def test_a_successor_has_no_part_in_what_its_name_once_got(four: Project, sent: str) -> None:
    bravo = four.call("ListProjectAgents").agents[1]
    four.archive(bravo)
    four.register("bravo")
    assert four.ids("bravo") == []
    assert four.refusal(partial(four.reply, "bravo", sent)).reason == "MESSAGE_NOT_FOUND"
    assert four.refusal(partial(four.reply, "alfa", sent)).reason == "RECIPIENT_ARCHIVED"


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("x" * 160, "Re: " + "x" * 156),
        ("x" * 155 + " " + "x" * 4, "Re: " + "x" * 155),
        ("re: x", "re: x"),
        ("RE:x", "RE:x"),
        ("Reply", "Re: Reply"),
    ],
)
def test_a_subject_that_is_kept_stays_within_its_bounds(
    four: Project, subject: str, expected: str
) -> None:
    first = four.message("alfa", "bravo", subject=subject)
    answer = four.reply("bravo", first.id)
    assert answer.subject == expected
    assert four.reply("alfa", answer.id).subject == expected


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"body_md": ""}, "body_md"),
        ({"body_md": "x" * 262_145}, "body_md"),
        ({"subject": "x" * 161}, "subject"),
        ({"subject": "a\nb"}, "subject"),
        ({"importance": "x" * 33}, "importance"),
        ({"to": ["carol"] * 101}, "to"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_form_of_an_answer_comes_before_everything_else(
    four: Project, sent: str, fields: dict[str, Any], field: str
) -> None:
    given = {"sender_name": "bravo", "message_id": sent, "body_md": "b"} | fields
    for more in ({}, {"project_key": "/unseen"}, {"message_id": "msg_x"}, {"sender_name": "no"}):
        refusal = four.refusal(partial(four.call, "ReplyMessage", **given | more))
        assert refusal.code is Code.INVALID_ARGUMENT
        assert [violation.field for violation in refusal.violations] == [field]


def test_an_answer_to_ones_own_message_without_to_needs_somebody(four: Project) -> None:
    first = four.message("alfa", cc=["bravo"])
    refusal = four.refusal(partial(four.reply, "alfa", first.id))
    assert [violation.field for violation in refusal.violations] == ["to"]
    assert list(four.reply("alfa", first.id, cc=["carol"]).cc) == ["carol"]


def test_an_answer_to_unknown_names_goes_to_nobody(four: Project, sent: str) -> None:
    call = partial(four.reply, "bravo", sent, to=["carol", "nobody"], cc=["none"])
    refusal = four.refusal(call)
    assert refusal.reason == "AGENT_NOT_FOUND"
    assert [resource.name for resource in refusal.resources] == ["nobody", "none"]


def test_an_answer_to_oneself_is_refused(four: Project, sent: str) -> None:
    for field in ("to", "cc", "bcc"):
        call = partial(four.reply, "bravo", sent, **{field: ["bravo"]})
        assert four.refusal(call).reason == "SELF_SEND"


def test_m15_the_same_name_in_another_project_gets_nothing(four: Project, room: Room) -> None:
    other = Project(room, "/other")
    namesake = other.register("alfa")
    first = four.message("alfa", "bravo")
    four.reply("bravo", first.id)
    assert room.received(namesake.id) == []
    refusal = refused(lambda: room.send("", "alfa"))
    assert refusal.reason == "NAME_AMBIGUOUS"
