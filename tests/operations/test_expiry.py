"""Expiry: from that instant on a piece is offered by nothing."""

from collections.abc import Callable

import pytest

from postroom.storage.store import Store
from postroom.sweeping import recount_all, sweep_all, sweep_once
from tests.doubles import ManualClock
from tests.operations.tables import together
from tests.room import Room

SENT = "MAIL_DIRECTION_SENT"


@pytest.fixture
def minute(limited: Callable[..., Room]) -> Room:
    """A post room whose mail expires after a minute and is swept an hour later."""
    return limited(mail_ttl=60, mail_retention=3600, request_id_retention=7200)


def _offers(room: Room, sender: str, recipient: str) -> list[int]:
    return [
        len(room.received(recipient)),
        len(room.received(sender, direction=SENT)),
        len(room.call("ListMail", sender, id=recipient).mail),
        room.call("GetAgent", id=recipient).agent.waiting,
        room.call("ListAgents").agents[1].waiting,
    ]


def test_waiting_mail_is_offered_until_it_expires_and_no_longer(
    minute: Room, clock: ManualClock
) -> None:
    alfa, bravo = minute.agent("alfa").id, minute.agent("bravo").id
    minute.send(alfa, bravo)
    clock.advance(seconds=59.999999)
    assert _offers(minute, alfa, bravo) == [1] * 5
    clock.advance(microseconds=1)
    assert _offers(minute, alfa, bravo) == [0] * 5
    answer = minute.call("ReadMail", bravo)
    assert (list(answer.mail), answer.remaining) == ([], 0)


def test_claimed_mail_is_no_longer_listed_either(minute: Room, clock: ManualClock) -> None:
    alfa, bravo = minute.agent("alfa").id, minute.agent("bravo").id
    minute.send(alfa, bravo)
    minute.call("ReadMail", bravo)
    assert _offers(minute, alfa, bravo) == [1, 1, 1, 0, 0]
    clock.advance(minutes=1)
    assert _offers(minute, alfa, bravo) == [0] * 5


def test_reading_passes_over_what_has_expired(minute: Room, clock: ManualClock) -> None:
    alfa, bravo = minute.agent("alfa").id, minute.agent("bravo").id
    for body in ("old", "young", "younger"):
        minute.send(alfa, bravo, body)
        clock.advance(seconds=30)
    answer = minute.call("ReadMail", bravo, limit=1)
    assert [mail.body for mail in answer.mail] == ["younger"]
    assert answer.remaining == 0


def test_what_remains_counts_no_expired_mail(minute: Room, clock: ManualClock) -> None:
    alfa, bravo = minute.agent("alfa").id, minute.agent("bravo").id
    for _ in range(4):
        minute.send(alfa, bravo)
        clock.advance(seconds=25)
    assert minute.call("ReadMail", bravo, limit=1).remaining == 1


def test_a_piece_that_expires_between_two_pages_leaves_the_rest(
    minute: Room, clock: ManualClock
) -> None:
    alfa, bravo = minute.agent("alfa").id, minute.agent("bravo").id
    for body in "1234":
        minute.send(alfa, bravo, body)
        clock.advance(seconds=10)
    page = minute.call("ListMail", bravo, pagination={"limit": 2})
    clock.advance(seconds=25)
    rest = minute.call("ListMail", bravo, pagination={"cursor": page.next_page_token})
    assert [mail.body for mail in [*page.mail, *rest.mail]] == ["4", "3", "2"]


def test_expired_mail_may_still_be_answered_until_it_is_swept(
    minute: Room, clock: ManualClock
) -> None:
    alfa, bravo = minute.agent("alfa").id, minute.agent("bravo").id
    mail = minute.send(alfa, bravo)
    clock.advance(minutes=2)
    assert minute.send(bravo, alfa, reply_to=mail.id).reply_to == mail.id


def test_the_sweeper_takes_what_is_past_its_retention_and_nothing_else(
    minute: Room, clock: ManualClock, store: Store
) -> None:
    alfa, bravo = minute.agent("alfa").id, minute.agent("bravo").id
    minute.send(alfa, bravo, "old", request_id="r-1")
    clock.advance(seconds=1)
    minute.send(alfa, bravo, "young", request_id="r-2")
    clock.advance(seconds=59 + 3600)
    assert sweep_once(minute.office) == 0
    clock.advance(microseconds=1)
    assert sweep_once(minute.office) == 1
    assert sweep_once(minute.office) == 0
    assert _kept(store) == (1, 2)
    clock.advance(seconds=7200 - 3660 + 1)
    sweep_all(minute.office)
    assert _kept(store) == (0, 0)


def _kept(store: Store) -> tuple[int, int]:
    (row,) = store.connection.all(
        "SELECT (SELECT COUNT(*) FROM mail), (SELECT COUNT(*) FROM answer)"
    )
    return row[0], row[1]


def test_the_sweeper_works_in_small_batches_until_it_is_done(
    minute: Room, clock: ManualClock, store: Store
) -> None:
    alfa = minute.agent("alfa").id
    for _ in range(3):
        together(minute, (minute.begin("SendMail", to=alfa, body="x") for _ in range(200)))
        minute.call("ReadMail", alfa, limit=200)
    clock.advance(days=1)
    assert sweep_once(minute.office) == 500
    minute.send("", alfa, "new")
    assert sweep_once(minute.office) == 100
    assert sweep_once(minute.office) == 0
    assert _kept(store) == (1, 0)


def test_numbers_go_on_after_a_sweep(minute: Room, clock: ManualClock) -> None:
    alfa, bravo = minute.agent("alfa").id, minute.agent("bravo").id
    minute.send(alfa, bravo)
    minute.send(alfa, bravo, "2")
    cursor = minute.call("ListMail", bravo, pagination={"limit": 1}).next_page_token
    clock.advance(days=1)
    sweep_all(minute.office)
    minute.send(alfa, bravo, "new")
    assert not minute.call("ListMail", bravo, pagination={"cursor": cursor}).mail
    assert [mail.body for mail in minute.call("ReadMail", bravo).mail] == ["new"]


def test_the_sweeper_takes_expired_mail_out_of_the_counters_of_all_mailboxes(
    minute: Room, clock: ManualClock
) -> None:
    alfa, bravo, carol = (minute.agent(name).id for name in ("alfa", "bravo", "carol"))
    for recipient in (bravo, carol, "operator"):
        minute.send(alfa, recipient)
    clock.advance(seconds=30)
    minute.send(alfa, carol)
    store = minute.office.store
    recount_all(minute.office)
    assert store.totals().waiting == 4
    clock.advance(seconds=31)
    recount_all(minute.office)
    assert store.totals().waiting == 1
    assert len(minute.call("ReadMail", carol).mail) == 1
    assert store.totals().waiting == 0


def test_of_very_many_agents_each_is_counted_anew(minute: Room, clock: ManualClock) -> None:
    alfa = minute.agent("alfa").id
    for number in range(250):
        minute.send(alfa, minute.agent(f"agent-{number}").id)
    clock.advance(days=1)
    recount_all(minute.office)
    assert minute.office.store.totals().waiting == 0
