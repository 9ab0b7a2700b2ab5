"""Looking into another agent's mailbox, and the record that is made of it."""

from collections.abc import Sequence
from functools import partial

import pytest

from agent.v1.mail_pb2 import (
    MAIL_DIRECTION_RECEIVED,
    MAIL_DIRECTION_SENT,
    MAILBOX_READ_EVENT_LOOKED,
    READER_PROOF_NAMED,
    MailboxRead,
)
from postroom.errors import Code
from postroom.records import MailboxRead as Record
from postroom.storage import held
from postroom.storage.database import Connection
from postroom.storage.failures import StoreFailure
from postroom.storage.store import Store
from tests.doubles import ManualClock
from tests.operations.tables import contents
from tests.room import Room, refused


@pytest.fixture
def pair(room: Room) -> tuple[str, str]:
    """Two agents, of whom the second holds one mail."""
    alfa, bravo = room.agent("alfa").id, room.agent("bravo").id
    room.send(alfa, bravo, "between us")
    return alfa, bravo


def test_a_look_into_another_mailbox_is_allowed_and_written_down(
    room: Room, pair: tuple[str, str]
) -> None:
    _, bravo = pair
    carol = room.agent("carol", "other").id
    (mail,) = room.call("ListMail", carol, id=bravo).mail
    assert mail.body == "between us"
    (read,) = room.call("ListMailboxReads", bravo).reads
    assert read == MailboxRead(
        id=read.id,
        reader_agent_id=carol,
        agent_id=bravo,
        read_at="2026-12-01T09:30:00.000000Z",
        method="agent.v1.AgentService/ListMail",
        direction=MAIL_DIRECTION_RECEIVED,
        event=MAILBOX_READ_EVENT_LOOKED,
        attempts=1,
        mail_count=1,
        first_mail_id=mail.id,
        last_mail_id=mail.id,
        proof=READER_PROOF_NAMED,
    )
    assert read.id
    assert room.received(bravo) == [mail]
    assert not mail.HasField("claimed_at")


def test_every_look_is_written_down_newest_first_the_operators_too(
    room: Room, pair: tuple[str, str], clock: ManualClock
) -> None:
    alfa, bravo = pair
    for reader, direction in (
        (alfa, MAIL_DIRECTION_RECEIVED),
        ("", MAIL_DIRECTION_SENT),
        ("operator", MAIL_DIRECTION_RECEIVED),
    ):
        clock.advance(seconds=-1)
        room.call("ListMail", reader, id=bravo, direction=direction)
    reads = room.call("ListMailboxReads", id=bravo).reads
    assert [(read.reader_agent_id, read.direction) for read in reads] == [
        ("operator", MAIL_DIRECTION_RECEIVED),
        ("operator", MAIL_DIRECTION_SENT),
        (alfa, MAIL_DIRECTION_RECEIVED),
    ]


def test_looking_at_the_own_mailbox_is_not_written_down(room: Room, pair: tuple[str, str]) -> None:
    _, bravo = pair
    room.received(bravo)
    room.received(bravo, id=bravo)
    room.received("", id="operator")
    assert not room.call("ListMailboxReads", bravo).reads
    assert not room.call("ListMailboxReads").reads


def test_each_page_of_a_foreign_mailbox_is_a_look_of_its_own(
    room: Room, pair: tuple[str, str]
) -> None:
    alfa, bravo = pair
    room.send(alfa, bravo)
    token = room.call("ListMail", alfa, id=bravo, pagination={"limit": 1}).next_page_token
    room.call("ListMail", alfa, id=bravo, pagination={"cursor": token})
    assert len(room.call("ListMailboxReads", bravo).reads) == 2


def test_a_look_into_an_empty_mailbox_is_written_down(room: Room, pair: tuple[str, str]) -> None:
    alfa, bravo = pair
    assert not room.call("ListMail", bravo, id=alfa).mail
    assert len(room.call("ListMailboxReads", alfa).reads) == 1


def test_where_a_look_cannot_be_written_down_nothing_is_returned(
    room: Room, store: Store, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    alfa, bravo = pair

    def full(connection: Connection, reads: Sequence[Record]) -> None:
        del connection, reads
        raise StoreFailure("full")

    before = contents(store)
    monkeypatch.setattr(held, "append", full)
    refusal = refused(lambda: room.call("ListMail", alfa, id=bravo))
    assert (refusal.code, refusal.reason) == (Code.RESOURCE_EXHAUSTED, "AUDIT_UNAVAILABLE")
    assert contents(store) == before


@pytest.mark.parametrize("direction", [MAIL_DIRECTION_RECEIVED, MAIL_DIRECTION_SENT])
def test_the_operators_mailbox_is_closed_to_agents(
    room: Room, store: Store, pair: tuple[str, str], direction: int
) -> None:
    alfa, _ = pair
    room.send(alfa, "operator", "in confidence")
    before = contents(store)
    refusal = refused(lambda: room.call("ListMail", alfa, id="operator", direction=direction))
    assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "OPERATOR_MAILBOX")
    recorded = {"MailboxReadRow", "MailboxReadChainRow"}
    changed = {name for name, rows in contents(store).items() if rows != before[name]}
    assert changed == recorded


@pytest.mark.parametrize("id", ["agt_00000000000000000000000000", "alfa", "mail_1", " "])
def test_a_mailbox_is_named_by_an_agents_id(room: Room, pair: tuple[str, str], id: str) -> None:
    for method in ("ListMail", "ListMailboxReads"):
        refusal = refused(partial(room.call, method, pair[0], id=id))
        assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "AGENT_NOT_FOUND")
        assert [(r.type, r.name) for r in refusal.resources] == [("agent", id)]


def test_an_archived_agents_mailbox_is_still_there_to_look_at(
    room: Room, pair: tuple[str, str]
) -> None:
    alfa, bravo = pair
    room.call("ArchiveAgent", id=bravo)
    assert len(room.call("ListMail", alfa, id=bravo).mail) == 1
    assert len(room.call("ListMailboxReads", id=bravo).reads) == 1


def test_the_record_is_for_the_mailboxs_own_agent_and_the_operator(
    room: Room, pair: tuple[str, str]
) -> None:
    alfa, bravo = pair
    room.call("ListMail", alfa, id=bravo)
    kid = room.agent("kid", parent_id=bravo).id
    for as_, fields in ((bravo, {}), (bravo, {"id": bravo}), ("", {"id": bravo})):
        assert len(room.call("ListMailboxReads", as_, **fields).reads) == 1
    for other in (alfa, kid):
        refusal = refused(partial(room.call, "ListMailboxReads", other, id=bravo))
        assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "NOT_YOUR_MAILBOX")
    refusal = refused(lambda: room.call("ListMailboxReads", bravo, id="operator"))
    assert refusal.code is Code.PERMISSION_DENIED


def test_reading_the_record_is_not_itself_a_look(room: Room, pair: tuple[str, str]) -> None:
    room.call("ListMailboxReads", id=pair[0])
    assert not room.call("ListMailboxReads", pair[0]).reads


def test_the_record_comes_in_pages(room: Room, pair: tuple[str, str]) -> None:
    alfa, bravo = pair
    directions = [1, 2, 2, 1, 2]
    for direction in directions:
        room.call("ListMail", alfa, id=bravo, direction=direction)
    seen, cursor, sizes = [], "", []
    while True:
        page = room.call("ListMailboxReads", bravo, pagination={"limit": 2, "cursor": cursor})
        seen += [read.direction for read in page.reads]
        sizes.append(len(page.reads))
        room.call("ListMail", alfa, id=bravo)
        cursor = page.next_page_token
        if not cursor:
            break
    assert (seen, sizes) == (directions[::-1], [2, 2, 1])


def test_a_page_of_the_record_holds_50_rows_unless_said_otherwise(
    room: Room, pair: tuple[str, str]
) -> None:
    alfa, bravo = pair
    for _ in range(51):
        room.call("ListMail", alfa, id=bravo)
    page = room.call("ListMailboxReads", bravo)
    assert (len(page.reads), bool(page.next_page_token)) == (50, True)
    refusal = refused(lambda: room.call("ListMailboxReads", bravo, pagination={"limit": -1}))
    assert refusal.code is Code.INVALID_ARGUMENT
