"""ListMail: what is on a page, and how pages follow one another."""

from collections.abc import Iterable, Iterator

import pytest

from agent.v1.agent_service_pb2 import ListMailResponse
from postroom.errors import Code
from postroom.page import MAX_BYTES
from postroom.storage import open_store
from postroom.storage.store import Store
from tests.doubles import ManualClock
from tests.operations.tables import contents, together
from tests.room import Room, refused

SENT = "MAIL_DIRECTION_SENT"


@pytest.fixture
def pair(room: Room) -> tuple[str, str]:
    """The ids of two agents."""
    return room.agent("alfa").id, room.agent("bravo").id


def _send_numbered(room: Room, sender: str, to: str, *numbers: int) -> None:
    for number in numbers:
        room.send(sender, to, str(number))


def _pages(
    room: Room, agent: str, limit: int, direction: str = "MAIL_DIRECTION_RECEIVED"
) -> Iterator[ListMailResponse]:
    cursor = ""
    while True:
        pagination = {"limit": limit, "cursor": cursor}
        page = room.call("ListMail", agent, pagination=pagination, direction=direction)
        yield page
        cursor = page.next_page_token
        if not cursor:
            return


def _bodies(page: ListMailResponse) -> list[str]:
    return [mail.body for mail in page.mail]


def test_c55_an_empty_mailbox_is_an_empty_last_page(room: Room, pair: tuple[str, str]) -> None:
    page = room.call("ListMail", pair[0])
    assert (list(page.mail), page.next_page_token) == ([], "")


def test_mail_is_listed_newest_first_on_either_side(room: Room, pair: tuple[str, str]) -> None:
    alfa, bravo = pair
    _send_numbered(room, alfa, bravo, 1, 2)
    _send_numbered(room, bravo, alfa, 3)
    _send_numbered(room, alfa, bravo, 4)
    assert [mail.body for mail in room.received(bravo)] == ["4", "2", "1"]
    assert [mail.body for mail in room.received(bravo, direction=SENT)] == ["3"]
    assert [mail.body for mail in room.received(alfa, direction=SENT)] == ["4", "2", "1"]
    explicit = room.received(bravo, direction="MAIL_DIRECTION_RECEIVED")
    assert explicit == room.received(bravo)


def test_the_order_is_that_of_arrival_whatever_the_clock_does(
    room: Room, pair: tuple[str, str], clock: ManualClock
) -> None:
    alfa, bravo = pair
    for number, days in enumerate((0, -1, 2, -1, 0), 1):
        clock.advance(days=days)
        _send_numbered(room, alfa, bravo, number)
    assert [mail.body for mail in room.received(bravo)] == ["5", "4", "3", "2", "1"]
    assert [body for page in _pages(room, bravo, 2) for body in _bodies(page)] == [*"54321"]
    claimed = room.call("ReadMail", bravo).mail
    assert [mail.body for mail in claimed] == ["1", "2", "3", "4", "5"]


def test_listing_claims_and_changes_nothing(
    room: Room, store: Store, pair: tuple[str, str]
) -> None:
    alfa, bravo = pair
    _send_numbered(room, alfa, bravo, 1)
    before = contents(store)
    for direction in (SENT, "MAIL_DIRECTION_RECEIVED"):
        assert not any(mail.HasField("claimed_at") for mail in room.received(bravo))
        room.call("ListMail", bravo, direction=direction)
    assert contents(store) == before


def test_c11_claimed_mail_is_listed_as_claimed_by_every_view(
    room: Room, pair: tuple[str, str], clock: ManualClock
) -> None:
    alfa, bravo = pair
    _send_numbered(room, alfa, bravo, 1, 2)
    clock.advance(minutes=5)
    taken = list(room.call("ReadMail", bravo).mail)
    assert [mail.claimed_at for mail in taken] == ["2026-12-01T09:35:00.000000Z"] * 2
    assert room.received(bravo) == taken[::-1]
    assert room.received(alfa, direction=SENT) == taken[::-1]
    assert list(room.call("ListMail", alfa, id=bravo).mail) == taken[::-1]
    assert room.call("GetAgent", id=bravo).agent.waiting == 0


def test_c09_mail_to_a_name_of_every_allowed_character_is_listed_and_counted(room: Room) -> None:
    alfa, odd = room.agent("alfa"), room.agent("Re_View-er.No2")
    for _ in range(3):
        room.send(alfa.id, "Re_View-er.No2")
    assert len(room.received(odd.id)) == 3
    assert room.call("GetAgent", id=odd.id).agent.waiting == 3
    (listed,) = room.call("ListAgents", state="AGENT_STATE_RUNNING").agents[1:]
    assert (listed.name, listed.waiting) == ("Re_View-er.No2", 3)


def test_c23_sent_mail_is_listed_after_the_sender_ended_and_the_server_restarted(
    room: Room, store: Store, clock: ManualClock, database_url: str, pair: tuple[str, str]
) -> None:
    alfa, bravo = pair
    _send_numbered(room, alfa, bravo, 1, 2, 3)
    sent = room.received(alfa, direction=SENT)
    room.call("ArchiveAgent", id=alfa)
    store.close()
    with_restart = open_store(database_url, clock)
    again = Room(with_restart, clock)
    assert list(again.call("ListMail", id=alfa, direction=SENT).mail) == sent
    assert [mail.body for mail in sent] == ["3", "2", "1"]
    again.close()
    with_restart.close()


def test_a_page_holds_as_many_rows_as_asked_within_its_bounds(room: Room) -> None:
    alfa = room.agent("alfa").id
    _fill(room, alfa, range(1, 201))
    room.call("ReadMail", alfa, limit=200)
    _fill(room, alfa, range(201, 206))
    for limit, rows in ((0, 50), (1, 1), (49, 49), (200, 200), (201, 200), (2**31 - 1, 200)):
        for agent, direction in ((alfa, "MAIL_DIRECTION_RECEIVED"), ("", SENT)):
            page = room.call("ListMail", agent, pagination={"limit": limit}, direction=direction)
            assert (limit, len(page.mail)) == (limit, rows)
            assert page.next_page_token
    bodies = [int(body) for page in _pages(room, alfa, 0) for body in _bodies(page)]
    assert bodies == list(range(205, 0, -1))


def _fill(room: Room, to: str, numbers: Iterable[int]) -> None:
    together(room, (room.begin("SendMail", to=to, body=str(number)) for number in numbers))


def test_a_negative_limit_is_refused(room: Room, pair: tuple[str, str]) -> None:
    refusal = refused(lambda: room.call("ListMail", pair[0], pagination={"limit": -1}))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "INVALID_FIELD")
    assert [violation.field for violation in refusal.violations] == ["pagination.limit"]


def test_an_unknown_direction_is_refused(room: Room, pair: tuple[str, str]) -> None:
    refusal = refused(lambda: room.call("ListMail", pair[0], direction=3))
    assert [violation.field for violation in refusal.violations] == ["direction"]


@pytest.mark.parametrize("rows", [2, 3, 4])
def test_the_token_is_empty_exactly_at_the_end(
    room: Room, pair: tuple[str, str], rows: int
) -> None:
    alfa, bravo = pair
    _send_numbered(room, alfa, bravo, 1, 2, 3)
    page = room.call("ListMail", bravo, pagination={"limit": rows})
    assert bool(page.next_page_token) == (rows < 3)


def test_no_mail_is_skipped_or_repeated_while_mail_arrives_between_two_pages(
    room: Room, pair: tuple[str, str]
) -> None:
    alfa, bravo = pair
    _send_numbered(room, alfa, bravo, *range(1, 8))
    seen: list[str] = []
    for page in _pages(room, bravo, 2):
        seen += _bodies(page)
        _send_numbered(room, alfa, bravo, 100 + len(seen))
    assert seen == ["7", "6", "5", "4", "3", "2", "1"]


def test_c53_a_page_goes_on_after_a_piece_that_is_gone(
    room: Room, store: Store, pair: tuple[str, str], clock: ManualClock
) -> None:
    alfa, bravo = pair
    _send_numbered(room, alfa, bravo, 1)
    clock.advance(seconds=1)
    _send_numbered(room, alfa, bravo, 2, 3)
    first = room.call("ListMail", bravo, pagination={"limit": 2})
    assert _bodies(first) == ["3", "2"]
    gone = "DELETE FROM mail WHERE id = ?"
    store.write(lambda session: session.connection.run(gone, (first.mail[1].id,)))  # type: ignore[attr-defined]
    token = {"cursor": first.next_page_token}
    assert _bodies(room.call("ListMail", bravo, pagination=token)) == ["1"]


def test_a_page_ends_before_3_mib_and_loses_nothing(room: Room, pair: tuple[str, str]) -> None:
    alfa, bravo = pair
    face = "\N{GRINNING FACE}"
    bodies = [f"{number:04}" + face * 9_996 for number in range(90)]
    together(room, (room.begin("SendMail", alfa, to=bravo, body=body) for body in bodies))
    listed = list(_pages(room, bravo, 200))
    assert [len(page.mail) for page in listed] == [78, 12]
    assert all(page.ByteSize() <= MAX_BYTES for page in listed)
    numbers = [int(body[:4]) for page in listed for body in _bodies(page)]
    assert numbers == list(range(89, -1, -1))
    first = room.call("ReadMail", bravo, limit=200)
    assert first.ByteSize() <= MAX_BYTES
    assert (len(first.mail), first.remaining) == (78, 12)
    second = room.call("ReadMail", bravo, limit=200)
    assert (len(second.mail), second.remaining) == (12, 0)
    assert [int(mail.body[:4]) for mail in [*first.mail, *second.mail]] == list(range(90))
