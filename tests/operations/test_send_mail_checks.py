"""SendMail: what is refused, with what, and in which order."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from postroom.errors import Code, Refusal
from postroom.storage.store import Store
from tests.operations.tables import contents
from tests.room import Room, refused

LONG = "x" * 10_001


def test_the_first_check_that_fails_decides(limited: Callable[..., Room], store: Store) -> None:
    room = limited(exchange=1, mailbox=1)
    world = _a_world_where_everything_is_wrong(room)
    before = contents(store)
    fields: dict[str, Any] = {
        "to": "",
        "body": LONG,
        "reply_to": "mail_none",
        "request_id": "used",
        "as_": "agt_nobody",
    }
    for reason, mended in _steps(world):
        assert refused(partial(room.call, "SendMail", **fields)).reason == reason
        fields |= mended
    assert contents(store) == before
    room.call("SendMail", **fields)


def _a_world_where_everything_is_wrong(room: Room) -> dict[str, str]:
    boss, other = room.agent("boss"), room.agent("other")
    kid, sibling = (room.agent(name, parent_id=boss.id) for name in ("kid", "sibling"))
    gone = room.agent("gone")
    room.agent("twin", "one")
    room.agent("twin", "two")
    room.send(kid.id, "sibling", "first", request_id="used")
    room.call("ReadMail", sibling.id)
    # Each of these pairs has spent its exchange, and each recipient's mailbox is full.
    for sender in (gone, other, boss):
        room.send(sender.id, kid.id)
        room.call("ReadMail", kid.id)
        room.send("", sender.id)
    mail = room.send("", kid.id)
    room.call("ArchiveAgent", id=gone.id)
    names = ("boss", "other", "kid", "gone")
    return dict(zip(names, (boss.id, other.id, kid.id, gone.id), strict=True)) | {"mail": mail.id}


def _steps(world: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "CALLER_UNKNOWN", {"as_": world["kid"]}
    yield "INVALID_FIELD", {"to": "nobody", "body": "hello"}
    yield "REQUEST_ID_REUSED", {"request_id": "fresh"}
    yield "AGENT_NOT_FOUND", {"to": "twin"}
    yield "NAME_AMBIGUOUS", {"to": world["kid"]}
    yield "SELF_SEND", {"to": world["gone"]}
    yield "RECIPIENT_ARCHIVED", {"to": world["other"]}
    yield "CHILD_SCOPE", {"to": world["boss"]}
    yield "MAIL_NOT_FOUND", {"reply_to": world["mail"]}
    yield "INVALID_FIELD", {"reply_to": None}
    yield "EXCHANGE_CAPPED", {"as_": "", "to": world["boss"]}
    yield "MAILBOX_FULL", {"to": "operator", "as_": world["other"]}


@pytest.mark.parametrize("as_", ["agt_00000000000000000000000000", "alfa", "nobody", "mail_1"])
def test_a_caller_that_no_agent_is_is_not_let_in(room: Room, as_: str) -> None:
    room.agent("alfa")
    refusal = refused(lambda: room.send(as_, "alfa"))
    assert (refusal.code, refusal.reason) == (Code.UNAUTHENTICATED, "CALLER_UNKNOWN")


def test_an_archived_caller_is_not_let_in(room: Room) -> None:
    alfa, _ = room.agent("alfa"), room.agent("bravo")
    room.send(alfa.id, "bravo", request_id="r-1")
    room.call("ArchiveAgent", id=alfa.id)
    refusal = refused(lambda: room.send(alfa.id, "bravo", request_id="r-1"))
    assert (refusal.code, refusal.reason) == (Code.UNAUTHENTICATED, "CALLER_ARCHIVED")


def test_every_field_that_breaks_a_rule_is_named(room: Room) -> None:
    alfa = room.agent("alfa")
    refusal = refused(lambda: room.send(alfa.id, "", LONG, request_id="k" * 129, reply_to="a\0"))
    assert refusal.code is Code.INVALID_ARGUMENT
    named = [violation.field for violation in refusal.violations]
    assert named == ["to", "body", "reply_to", "request_id"]


@pytest.mark.parametrize(
    ("body", "is_fine"),
    [
        ("", False),
        ("x", True),
        ("x" * 10_000, True),
        ("\N{GRINNING FACE}" * 10_000, True),
        ("\N{GRINNING FACE}" * 10_001, False),
        ("e\N{COMBINING ACUTE ACCENT}" * 5_000, True),
        ("e\N{COMBINING ACUTE ACCENT}" * 5_001, False),
        ("line\r\n\ttab \N{RIGHT-TO-LEFT OVERRIDE}\ufffe\x1b", True),
        ("nul\0", False),
        (" ", True),
    ],
    ids=repr,
)
def test_a_body_is_counted_in_code_points_and_kept_as_it_is(
    room: Room, body: str, is_fine: bool
) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    if is_fine:
        room.send(alfa.id, bravo.id, body)
        assert [mail.body for mail in room.received(bravo.id)] == [body]
    else:
        refusal = refused(lambda: room.send(alfa.id, bravo.id, body))
        assert (refusal.code, refusal.violations[0].field) == (Code.INVALID_ARGUMENT, "body")


def test_a_request_id_of_128_characters_is_kept(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    key = "\N{GRINNING FACE}" * 128
    first = room.send(alfa.id, bravo.id, request_id=key)
    assert room.send(alfa.id, bravo.id, request_id=key) == first


def test_an_agent_does_not_write_to_itself(room: Room) -> None:
    alfa = room.agent("alfa")
    for address in (alfa.id, "alfa"):
        refusal = refused(partial(room.send, alfa.id, address))
        assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "SELF_SEND")
        assert [violation.field for violation in refusal.violations] == ["to"]
    assert refused(lambda: room.send("", "operator")).reason == "SELF_SEND"


def test_a_child_reaches_its_parent_and_its_parents_children_and_nobody_else(room: Room) -> None:
    boss, stranger = room.agent("boss"), room.agent("stranger")
    kid, sibling = (room.agent(name, parent_id=boss.id) for name in ("kid", "sibling"))
    grandchild = room.agent("grandchild", parent_id=kid.id)
    for other in (boss, sibling):
        assert room.send(kid.id, other.id).to_agent_id == other.id
    for id in (stranger.id, grandchild.id, "operator"):
        refusal = refused(partial(room.send, kid.id, id))
        assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "CHILD_SCOPE")
        assert boss.id in refusal.message


def test_an_agent_without_a_parent_reaches_everybody(room: Room) -> None:
    alfa, boss = room.agent("alfa"), room.agent("boss", "other")
    kid = room.agent("kid", "other", parent_id=boss.id)
    for id in (boss.id, kid.id, "operator"):
        assert room.send(alfa.id, id).to_agent_id == id
    assert room.send("", kid.id).to_agent_id == kid.id


def test_a_child_still_reaches_its_siblings_when_the_parent_is_archived(room: Room) -> None:
    boss = room.agent("boss")
    kid, sibling = (room.agent(name, parent_id=boss.id) for name in ("kid", "sibling"))
    room.call("ArchiveAgent", id=boss.id)
    assert room.send(kid.id, sibling.id).to_agent_id == sibling.id
    assert refused(lambda: room.send(kid.id, boss.id)).reason == "RECIPIENT_ARCHIVED"


@pytest.fixture
def trio(room: Room) -> tuple[str, str, str]:
    """Three agents' ids."""
    return room.agent("alfa").id, room.agent("bravo").id, room.agent("carol").id


def _reply(room: Room, sender: str, to: str, mail: str) -> Refusal:
    return refused(lambda: room.send(sender, to, reply_to=mail))


def test_an_answer_may_name_mail_that_was_sent_or_received(
    room: Room, trio: tuple[str, str, str]
) -> None:
    alfa, bravo, _ = trio
    mail = room.send(alfa, bravo)
    assert room.send(bravo, alfa, reply_to=mail.id).reply_to == mail.id
    assert room.send(alfa, bravo, reply_to=mail.id).reply_to == mail.id


@pytest.mark.parametrize("reply_to", ["", "mail_none", "agt_none", "alfa"])
def test_an_answer_to_mail_that_nobody_sent_is_not_found(
    room: Room, trio: tuple[str, str, str], reply_to: str
) -> None:
    alfa, bravo, _ = trio
    refusal = _reply(room, alfa, bravo, reply_to)
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "MAIL_NOT_FOUND")


def test_mail_between_others_is_answered_like_mail_that_nobody_sent(
    room: Room, trio: tuple[str, str, str]
) -> None:
    alfa, bravo, carol = trio
    theirs = room.send(alfa, bravo).id
    refusal = _reply(room, carol, alfa, theirs)
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "MAIL_NOT_FOUND")
    invented = _reply(room, carol, alfa, "mail_none")
    assert refusal.message.replace(theirs, "mail_none") == invented.message


def test_an_answer_goes_to_the_agent_that_the_mail_was_exchanged_with(
    room: Room, trio: tuple[str, str, str]
) -> None:
    alfa, bravo, carol = trio
    mail = room.send(alfa, bravo)
    for sender in (alfa, bravo):
        refusal = _reply(room, sender, carol, mail.id)
        assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "INVALID_FIELD")
        assert [violation.field for violation in refusal.violations] == ["reply_to"]


def test_a_notice_cannot_be_answered_to_another_agent(
    room: Room, trio: tuple[str, str, str]
) -> None:
    alfa, bravo, _ = trio
    (notice,) = room.call("RaiseReviewActivity", agent_ids=[alfa], review="r", file="f").mail
    assert _reply(room, alfa, bravo, notice.id).reason == "INVALID_FIELD"
    assert _reply(room, bravo, alfa, notice.id).reason == "MAIL_NOT_FOUND"
