"""The record of foreign reads on each database: linked in order, and tampering shows."""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from postroom.agent import Agent
from postroom.chain import GENESIS, ChainBroken
from postroom.mail import MailDirection
from postroom.ports import Session
from postroom.records import MailboxRead, Proof, ReadEvent, Shown
from postroom.storage.models import MailboxReadRow
from postroom.storage.store import Store
from postroom.storage.verify import verify
from tests.conformance.callers import at_once, held_up
from tests.conformance.world import add_agents, sending, wires
from tests.doubles import START

CHANGED: dict[str, Any] = {
    "id": "read_x",
    "reader": 3,
    "owner": 2,
    "read_at": 1,
    "method": "x",
    "direction": 2,
    "event": 2,
    "reason": "X",
    "attempts": 9,
    "proof": 1,
    "key_id": "x",
    "surface": "x",
    "peer": "x",
    "request_id": "x",
    "mails": 9,
    "first_mail_id": "x",
    "last_mail_id": None,
    "hash": "x",
}


@pytest.fixture
def pair(store: Store) -> list[Agent]:
    """Two agents, of whom the first looks at what the second has."""
    return add_agents(store, "alfa", "bravo")


def look(pair: list[Agent], id: str) -> MailboxRead:
    """A record in which no field is empty."""
    reader, owner = pair
    return MailboxRead(
        id=f"read_{id}",
        reader=reader.number,
        reader_id=reader.id,
        owner=owner.number,
        owner_id=owner.id,
        read_at=START,
        method="Some/Method",
        direction=MailDirection.RECEIVED,
        event=ReadEvent.LOOKED,
        proof=Proof.TOKEN,
        key_id="key",
        surface="grpc",
        peer="127.0.0.1",
        request_id="mine",
        shown=Shown(2, "mail_1", "mail_2"),
    )


def looking(pair: list[Agent], id: str) -> Callable[[Session], None]:
    """The work that records one look."""
    read = look(pair, id)
    return lambda session: session.record_read(read)


@pytest.fixture
def five(store: Store, pair: list[Agent]) -> Store:
    """A store with five records."""
    for number in range(1, 6):
        store.write(looking(pair, str(number)))
    return store


def must_be_broken(url: str, told: str, noted: str = "") -> None:
    with pytest.raises(ChainBroken, match=told):
        verify(url, noted)


def test_records_are_linked_and_a_record_comes_back_as_it_was(
    five: Store, pair: list[Agent], database_url: str
) -> None:
    walk = verify(database_url)
    assert walk.reads == 5
    rows = five.connection.all("SELECT number, hash FROM mailbox_read ORDER BY number")
    assert [number for number, _ in rows] == [1, 2, 3, 4, 5]
    assert len({hash for _, hash in rows}) == 5
    assert rows[-1][1] == walk.head
    newest = five.read(lambda s: s.reads(pair[1].number, before=None, limit=1))[0]
    assert newest == replace(look(pair, "5"), number=5)


def test_a_database_without_records_has_the_genesis_as_its_head(
    store: Store, database_url: str
) -> None:
    assert store
    walk = verify(database_url)
    assert (walk.reads, walk.head) == (0, GENESIS)


def test_every_column_is_protected(store: Store) -> None:
    columns = store.connection.peewee.get_columns("mailbox_read")
    assert {column.name for column in columns} == CHANGED.keys() | {"number"}
    assert CHANGED.keys() | {"number"} == MailboxReadRow._meta.columns.keys()


@pytest.mark.parametrize("column", CHANGED)
def test_a_changed_column_is_noticed_at_its_record(
    five: Store, database_url: str, column: str
) -> None:
    five.connection.run(f"UPDATE mailbox_read SET {column} = ? WHERE number = 3", [CHANGED[column]])
    must_be_broken(database_url, r"record 3 ")


@pytest.mark.parametrize(("column", "value"), [("event", 99), ("direction", 7), ("proof", 99)])
def test_what_no_server_writes_is_noticed(
    five: Store, database_url: str, column: str, value: int
) -> None:
    five.connection.run(f"UPDATE mailbox_read SET {column} = ? WHERE number = 3", [value])
    must_be_broken(database_url, r"record 3 .*no server writes")


DELETE = "DELETE FROM mailbox_read"
COPY = """
INSERT INTO mailbox_read (number, id, reader, owner, read_at, method, direction, hash)
SELECT {number}, 'read_copy', reader, owner, read_at, method, direction, {hash}
FROM mailbox_read WHERE number = {of}
"""


def move(number: int, to: int) -> str:
    """Give a record another number."""
    return f"UPDATE mailbox_read SET number = {to} WHERE number = {number}"


TAMPERING = {
    "first cut": ([f"{DELETE} WHERE number = 1"], "record 2 .*does not follow"),
    "one cut": ([f"{DELETE} WHERE number = 3"], "record 4 .*does not follow"),
    "some cut": ([f"{DELETE} WHERE number IN (2, 3, 4)"], "record 5 .*does not follow"),
    "last cut": ([f"{DELETE} WHERE number = 5"], "end after 4 and should be 5"),
    "all cut": ([DELETE], "end after 0 and should be 5"),
    "end cut": ([f"{DELETE}_chain"], "note of the chain's end is missing"),
    "two swapped": ([move(3, 30), move(4, 3), move(30, 4)], "record 3 .*does not follow"),
    "one put in": (
        [move(5, 6), move(4, 5), COPY.format(number=4, hash="hash", of=3)],
        "record 4 .*does not follow",
    ),
    "one added": ([COPY.format(number=9, hash="''", of=3)], "record 9 .*is not in the chain"),
}


@pytest.mark.parametrize(("tampering", "told"), TAMPERING.values(), ids=TAMPERING)
def test_tampering_is_noticed(
    five: Store, database_url: str, tampering: list[str], told: str
) -> None:
    for statement in tampering:
        five.connection.run(statement)
    must_be_broken(database_url, told)


def test_a_tail_that_was_cut_well_is_noticed_by_whoever_noted_the_head(
    five: Store, database_url: str
) -> None:
    noted = verify(database_url).head
    assert verify(database_url, noted).reads == 5
    five.connection.run("DELETE FROM mailbox_read WHERE number > 3")
    five.connection.run(
        "UPDATE mailbox_read_chain SET reads = 3, head = (SELECT hash FROM mailbox_read "
        "WHERE number = 3)"
    )
    assert verify(database_url).reads == 3
    must_be_broken(database_url, "since that head was noted", noted)


def test_a_look_that_fails_later_leaves_no_gap_in_the_chain(
    store: Store, pair: list[Agent], database_url: str
) -> None:
    def spoiled(session: Session) -> None:
        session.record_read(look(pair, "spoiled"))
        raise ZeroDivisionError

    with held_up(store) as held:
        first, bad, last = (
            held.write(work) for work in (looking(pair, "1"), spoiled, looking(pair, "2"))
        )
    assert first.result(30) is last.result(30) is None
    with pytest.raises(ZeroDivisionError):
        bad.result(30)
    assert verify(database_url).reads == 2


def test_a_batch_of_many_looks_is_linked_in_the_order_they_came(
    store: Store, pair: list[Agent], database_url: str
) -> None:
    with held_up(store) as held:
        done = [held.write(looking(pair, f"{number:03}")) for number in range(200)]
    assert [each.result(30) for each in done] == [None] * 200
    assert verify(database_url).reads == 200
    ids = [id for (id,) in store.connection.all("SELECT id FROM mailbox_read ORDER BY number")]
    assert ids == sorted(ids)


def test_two_servers_at_once_make_one_chain(
    store: Store, other_store: Store, pair: list[Agent], database_url: str
) -> None:
    def work(server: Store, thread: int) -> None:
        for number in range(20):
            server.write(looking(pair, f"{thread}-{number}"))
            server.write(sending(f"{thread}-{number}", *pair))

    servers = (store, other_store) * 4
    at_once([partial(work, server, thread) for thread, server in enumerate(servers)])
    assert verify(database_url).reads == 160
    assert len(wires(store, pair[1])) == 160


@pytest.mark.parametrize("store_kind", ["postgres"])
def test_mail_is_sent_while_somebody_holds_the_chain(
    store: Store, other_store: Store, pair: list[Agent], database_url: str
) -> None:
    outside = other_store.connection
    outside.begin()
    outside.run("UPDATE mailbox_read_chain SET reads = reads")
    recorded: list[None] = []
    waiting = threading.Thread(
        target=lambda: recorded.append(other_store.write(looking(pair, "waits")))
    )
    waiting.start()
    for number in range(3):
        store.write(sending(str(number), *pair))
    assert wires(store, pair[1]) == ["2", "1", "0"]
    assert not recorded
    outside.rollback()
    waiting.join(30)
    assert recorded == [None]
    assert verify(database_url).reads == 1
