"""request_id: a repeat is answered with the first answer, whatever has changed since."""

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.message import Message

from postroom.errors import Code
from postroom.rpc.door import Incoming, Outgoing
from postroom.storage import open_store
from postroom.storage.store import Store
from tests.doubles import ManualClock
from tests.operations.tables import contents, together
from tests.room import Room, refused

Change = Callable[[Room, str], None]


def _send(room: Room, sender: str, to: str, **fields: Any) -> Message:
    answer: Message = room.call("SendMail", sender, to=to, body="once", **fields)
    return answer


def _bytes(answer: Message) -> bytes:
    return answer.SerializeToString(deterministic=True)


def _claimed(room: Room, recipient: str) -> None:
    assert len(room.call("ReadMail", recipient).mail) == 1


def _swept(room: Room, recipient: str) -> None:
    del recipient
    store = room.office.store
    assert store.sweep(expired_before=room.office.clock.now() + 10**15, answered_before=0) == 1


def _archived(room: Room, recipient: str) -> None:
    room.call("ArchiveAgent", id=recipient)


def _renamed(room: Room, recipient: str) -> None:
    room.call("ArchiveAgent", id=recipient)
    room.agent("bravo")


def _full(room: Room, recipient: str) -> None:
    together(room, (room.begin("SendMail", to=recipient, body="more") for _ in range(199)))
    assert refused(lambda: room.send("", recipient)).reason == "MAILBOX_FULL"


def _later(room: Room, recipient: str) -> None:
    del recipient
    assert isinstance(room.office.clock, ManualClock)
    room.office.clock.advance(hours=24)


@pytest.mark.parametrize("change", [_claimed, _swept, _archived, _renamed, _full, _later])
def test_a_repeated_send_is_answered_byte_for_byte_and_stores_nothing(
    room: Room, store: Store, change: Change
) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    first = _send(room, alfa.id, "bravo", request_id="r-1")
    change(room, bravo.id)
    before = contents(store)
    assert _bytes(_send(room, alfa.id, "bravo", request_id="r-1")) == _bytes(first)
    assert contents(store) == before


def test_a_repeat_keeps_the_warning_of_the_first_answer(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo", state="AGENT_STATE_DORMANT")
    first = _send(room, alfa.id, bravo.id, request_id="r-1")
    room.call("SetAgentState", id=bravo.id, state="AGENT_STATE_RUNNING")
    assert _send(room, alfa.id, bravo.id, request_id="r-1") == first
    assert first.warning  # type: ignore[attr-defined]


def test_a_repeat_is_answered_by_another_server_and_after_a_restart(
    room: Room, store: Store, clock: ManualClock, database_url: str
) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    sent = _send(room, alfa.id, bravo.id, request_id="r-1")
    read = room.call("ReadMail", bravo.id, request_id="r-1")
    for _ in range(2):
        other_store = open_store(database_url, clock)
        other = Room(other_store, clock)
        assert _bytes(_send(other, alfa.id, bravo.id, request_id="r-1")) == _bytes(sent)
        again = other.call("ReadMail", bravo.id, request_id="r-1")
        assert _bytes(again) == _bytes(read)
        other.close()
        other_store.close()
        store.close()


def test_a_repeated_read_returns_the_same_mail_and_claims_nothing(room: Room, store: Store) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    for body in ("one", "two", "three"):
        room.send(alfa.id, bravo.id, body)
    first = room.call("ReadMail", bravo.id, limit=2, request_id="r-1")
    assert [mail.body for mail in first.mail] == ["one", "two"]
    room.send(alfa.id, bravo.id, "four")
    before = contents(store)
    assert _bytes(room.call("ReadMail", bravo.id, limit=2, request_id="r-1")) == _bytes(first)
    assert contents(store) == before
    rest = room.call("ReadMail", bravo.id, limit=2, request_id="r-2")
    assert [mail.body for mail in rest.mail] == ["three", "four"]


def test_a_read_that_found_nothing_is_repeated_as_nothing(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    assert not room.call("ReadMail", bravo.id, request_id="r-1").mail
    room.send(alfa.id, bravo.id)
    assert not room.call("ReadMail", bravo.id, request_id="r-1").mail


@pytest.mark.parametrize(
    "other",
    [{"to": "carol"}, {"body": "twice"}, {"reply_to": "mail_1"}, {"reply_to": ""}],
    ids=repr,
)
def test_a_request_id_is_good_for_one_request(
    room: Room, store: Store, other: dict[str, str]
) -> None:
    alfa, _, _ = room.agent("alfa"), room.agent("bravo"), room.agent("carol")
    fields = {"to": "bravo", "body": "once", "request_id": "r-1"}
    room.call("SendMail", alfa.id, **fields)
    before = contents(store)
    refusal = refused(lambda: room.call("SendMail", alfa.id, **(fields | other)))
    assert (refusal.code, refusal.reason) == (Code.ALREADY_EXISTS, "REQUEST_ID_REUSED")
    assert contents(store) == before


def test_a_read_with_another_limit_is_another_request(room: Room) -> None:
    alfa = room.agent("alfa")
    room.call("ReadMail", alfa.id, limit=1, request_id="r-1")
    refusal = refused(lambda: room.call("ReadMail", alfa.id, limit=2, request_id="r-1"))
    assert refusal.reason == "REQUEST_ID_REUSED"


def test_a_request_id_belongs_to_one_caller_and_one_method(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    mails = [
        room.send(alfa.id, bravo.id, request_id="r-1"),
        room.send(bravo.id, alfa.id, request_id="r-1"),
        room.send("", alfa.id, request_id="r-1"),
    ]
    assert len({mail.id for mail in mails}) == 3
    assert room.call("ReadMail", alfa.id, request_id="r-1").mail[0].id == mails[1].id


def test_without_a_request_id_each_call_sends_another_piece(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    assert room.send(alfa.id, bravo.id).id != room.send(alfa.id, bravo.id).id


def test_a_refusal_leaves_no_key(limited: Callable[..., Room]) -> None:
    room = limited(mailbox=1)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    room.send("", bravo.id)
    refused(lambda: _send(room, alfa.id, bravo.id, request_id="r-1"))
    room.call("ReadMail", bravo.id)
    _send(room, alfa.id, bravo.id, request_id="r-1")
    assert [mail.body for mail in room.received(bravo.id)] == ["once", "hello"]


def test_a_key_of_a_refused_request_is_free_for_another(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    refused(lambda: _send(room, alfa.id, "nobody", request_id="r-1"))
    assert _send(room, alfa.id, bravo.id, request_id="r-1")


def test_a_repeat_comes_before_every_check_of_the_request(limited: Callable[..., Room]) -> None:
    room = limited(exchange=1)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    first = _send(room, alfa.id, bravo.id, request_id="r-1")
    assert refused(lambda: _send(room, alfa.id, bravo.id)).reason == "EXCHANGE_CAPPED"
    assert _send(room, alfa.id, bravo.id, request_id="r-1") == first


def test_a_key_is_forgotten_only_after_the_configured_time(
    room: Room, store: Store, clock: ManualClock
) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    first = _send(room, alfa.id, bravo.id, request_id="r-1")
    answered_at = clock.now()
    assert store.sweep(expired_before=0, answered_before=answered_at) == 0
    assert _send(room, alfa.id, bravo.id, request_id="r-1") == first
    assert store.sweep(expired_before=0, answered_before=answered_at + 1) == 1
    assert _send(room, alfa.id, bravo.id, request_id="r-1") != first


def _with_header(room: Room, sender: str, key: str, **fields: str) -> Message:
    spec = next(spec for spec in room.registry.specs if spec.name == "SendMail")
    request = spec.request_class(**fields)
    incoming = Incoming((("postroom-agent-id", sender), ("idempotency-key", key)))
    answer: Message = room._runner.run(room.registry.call(spec, request, incoming, Outgoing()))
    return answer


def test_the_idempotency_key_stands_in_for_an_empty_request_id(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    fields = {"to": bravo.id, "body": "once"}
    first = _with_header(room, alfa.id, "k-1", **fields)
    assert _with_header(room, alfa.id, "k-1", **fields) == first
    assert _send(room, alfa.id, bravo.id, request_id="k-1") == first
    other = _with_header(room, alfa.id, "k-1", **fields, request_id="r-1")
    assert other != first
    assert _send(room, alfa.id, bravo.id, request_id="r-1") == other
    refusal = refused(lambda: _with_header(room, alfa.id, "k" * 129, **fields))
    assert [violation.field for violation in refusal.violations] == ["request_id"]


def test_the_limits_count_a_repeated_send_once(room: Room, limited: Callable[..., Room]) -> None:
    small = limited(exchange=2, mailbox=2)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    for _ in range(5):
        _send(small, alfa.id, bravo.id, request_id="r-1")
    _send(small, alfa.id, bravo.id, request_id="r-2")
    assert room.call("GetAgent", id=bravo.id).agent.waiting == 3
