"""SendMail: the limit of a pair, the limit of a mailbox, and the notices."""

from collections.abc import Callable
from functools import partial

from agent.v1.mail_pb2 import MAIL_KIND_EXCHANGE_CAPPED, MAIL_KIND_PLAIN, Mail
from postroom.errors import Code, Quota
from postroom.office import Limits
from postroom.storage.store import Store
from tests.doubles import ManualClock
from tests.operations.tables import contents
from tests.room import Room, refused


def test_the_figures_are_those_of_the_contract() -> None:
    assert (Limits().exchange, Limits().mailbox) == (100, 200)
    assert (Limits().mail_ttl, Limits().request_id_retention) == (604_800, 86_400)


def test_a_pair_exchanges_as_many_mails_as_it_may_in_both_directions(
    limited: Callable[..., Room], store: Store
) -> None:
    room = limited(exchange=3)
    alfa, bravo, carol = (room.agent(name) for name in ("alfa", "bravo", "carol"))
    first = room.send(alfa.id, bravo.id)
    room.send(bravo.id, alfa.id, reply_to=first.id)
    room.send(alfa.id, bravo.id, "another thread")
    before = contents(store)
    for sender, recipient in ((alfa, bravo), (bravo, alfa)):
        refusal = refused(partial(room.send, sender.id, recipient.id))
        assert (refusal.code, refusal.reason) == (Code.RESOURCE_EXHAUSTED, "EXCHANGE_CAPPED")
        assert refusal.quota == Quota(f"pair:{sender.id},{recipient.id}", refusal.message)
        assert refusal.metadata["limit"] == "3"
        assert refusal.retry_after is None
        assert recipient.id in refusal.message
    assert contents(store) == before
    room.send(alfa.id, carol.id)
    room.send(carol.id, bravo.id)


def test_a_spent_exchange_stays_spent_when_its_mail_is_read_expired_and_swept(
    limited: Callable[..., Room], store: Store, clock: ManualClock
) -> None:
    room = limited(exchange=1)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    room.send(alfa.id, bravo.id)
    room.call("ReadMail", bravo.id)
    clock.advance(days=100)
    assert store.sweep(expired_before=clock.now(), answered_before=clock.now()) == 3
    assert refused(lambda: room.send(bravo.id, alfa.id)).reason == "EXCHANGE_CAPPED"


def test_the_mail_that_spends_the_limit_is_followed_by_a_notice_to_each(
    limited: Callable[..., Room],
) -> None:
    room = limited(exchange=2)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    room.send(alfa.id, bravo.id)
    assert _notices(room, alfa.id) == _notices(room, bravo.id) == []
    room.send(bravo.id, alfa.id)
    for told, other in ((alfa, bravo), (bravo, alfa)):
        (notice,) = _notices(room, told.id)
        assert not notice.HasField("from_agent_id")
        assert not notice.HasField("reply_to")
        assert (notice.from_name, notice.to_agent_id) == ("postroom", told.id)
        assert other.name in notice.body
        assert other.id in notice.body
        assert "2" in notice.body
    assert room.received(alfa.id)[0].kind == MAIL_KIND_EXCHANGE_CAPPED


def _notices(room: Room, agent: str) -> list[Mail]:
    return [m for m in room.received(agent) if m.kind == MAIL_KIND_EXCHANGE_CAPPED]


def test_a_notice_is_sent_by_nobody(limited: Callable[..., Room]) -> None:
    room = limited(exchange=1)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    sent = room.send(alfa.id, bravo.id)
    assert room.received(alfa.id, direction="MAIL_DIRECTION_SENT") == [sent]
    assert room.received(bravo.id, direction="MAIL_DIRECTION_SENT") == []
    assert room.received("", direction="MAIL_DIRECTION_SENT") == []


def test_the_operators_mail_is_not_counted_by_any_exchange(limited: Callable[..., Room]) -> None:
    room = limited(exchange=1)
    alfa = room.agent("alfa")
    for _ in range(3):
        room.send("", alfa.id)
        room.send(alfa.id, "operator")
    assert {mail.kind for mail in room.received(alfa.id)} == {MAIL_KIND_PLAIN}
    assert len(room.received("")) == 3


def test_a_mailbox_takes_waiting_mail_up_to_its_limit(
    limited: Callable[..., Room], store: Store
) -> None:
    room = limited(mailbox=2)
    alfa, bravo, carol = (room.agent(name) for name in ("alfa", "bravo", "carol"))
    room.send(alfa.id, bravo.id)
    room.send(carol.id, bravo.id)
    before = contents(store)
    for sender in (alfa.id, carol.id, "operator"):
        refusal = refused(partial(room.send, sender, bravo.id))
        assert (refusal.code, refusal.reason) == (Code.RESOURCE_EXHAUSTED, "MAILBOX_FULL")
        assert refusal.quota == Quota(f"agent:{bravo.id}", refusal.message)
        assert refusal.metadata["limit"] == "2"
        assert refusal.retry_after is None
    assert contents(store) == before


def test_the_operators_own_mailbox_has_the_same_limit(limited: Callable[..., Room]) -> None:
    room = limited(mailbox=1)
    alfa = room.agent("alfa")
    room.send(alfa.id, "operator")
    assert refused(lambda: room.send(alfa.id, "operator")).reason == "MAILBOX_FULL"


def test_mail_that_was_read_frees_exactly_its_place(limited: Callable[..., Room]) -> None:
    room = limited(mailbox=3)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    for _ in range(3):
        room.send(alfa.id, bravo.id)
    room.call("ReadMail", bravo.id, limit=2)
    room.send(alfa.id, bravo.id)
    room.send(alfa.id, bravo.id)
    assert refused(lambda: room.send(alfa.id, bravo.id)).reason == "MAILBOX_FULL"


def test_looking_at_mail_frees_no_place(limited: Callable[..., Room]) -> None:
    room = limited(mailbox=1)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    room.send(alfa.id, bravo.id)
    room.received(bravo.id)
    assert refused(lambda: room.send(alfa.id, bravo.id)).reason == "MAILBOX_FULL"


def test_expired_mail_frees_its_place_at_that_instant(
    limited: Callable[..., Room], clock: ManualClock
) -> None:
    room = limited(mailbox=2, mail_ttl=60)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    room.send(alfa.id, bravo.id)
    clock.advance(seconds=30)
    room.send(alfa.id, bravo.id)
    clock.advance(seconds=29.999999)
    assert refused(lambda: room.send(alfa.id, bravo.id)).reason == "MAILBOX_FULL"
    clock.advance(microseconds=1)
    room.send(alfa.id, bravo.id)
    assert refused(lambda: room.send(alfa.id, bravo.id)).reason == "MAILBOX_FULL"


def test_notices_take_no_place_and_are_refused_by_no_limit(limited: Callable[..., Room]) -> None:
    room = limited(mailbox=2, exchange=1)
    alfa, bravo, carol = (room.agent(name) for name in ("alfa", "bravo", "carol"))
    for _ in range(3):
        room.call("RaiseReviewActivity", agent_ids=[bravo.id], review="r", file="f")
    room.send(alfa.id, bravo.id)
    room.send(carol.id, bravo.id)
    room.call("RaiseReviewActivity", agent_ids=[bravo.id], review="r", file="f")
    assert len(_notices(room, bravo.id)) == 2
    assert room.call("GetAgent", id=bravo.id).agent.waiting == 8


def test_notices_take_no_place_beside_mail_that_has_expired(
    limited: Callable[..., Room], clock: ManualClock
) -> None:
    room = limited(mailbox=2, mail_ttl=60)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    room.send(alfa.id, bravo.id)
    room.send(alfa.id, bravo.id)
    clock.advance(seconds=59)
    for _ in range(3):
        room.call("RaiseReviewActivity", agent_ids=[bravo.id], review="r", file="f")
    clock.advance(seconds=1)
    room.send(alfa.id, bravo.id)
    assert room.call("GetAgent", id=bravo.id).agent.waiting == 4
    room.send(alfa.id, bravo.id)
    assert refused(lambda: room.send(alfa.id, bravo.id)).reason == "MAILBOX_FULL"


def test_a_refused_send_spends_nothing_of_the_exchange(limited: Callable[..., Room]) -> None:
    room = limited(mailbox=1, exchange=2)
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    room.send(alfa.id, bravo.id)
    for _ in range(3):
        assert refused(lambda: room.send(alfa.id, bravo.id)).reason == "MAILBOX_FULL"
    room.call("ReadMail", bravo.id)
    room.send(alfa.id, bravo.id)
    assert refused(lambda: room.send(alfa.id, bravo.id)).reason == "EXCHANGE_CAPPED"
