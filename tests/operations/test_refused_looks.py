"""Looks that are refused: they are recorded, and repeating them fills no record."""

from functools import partial
from typing import Any

import pytest

from agent.v1.mail_pb2 import (
    MAIL_DIRECTION_RECEIVED,
    MAIL_DIRECTION_SENT,
    MAIL_DIRECTION_UNSPECIFIED,
    MAILBOX_READ_EVENT_REFUSED,
    READER_PROOF_NAMED,
    READER_PROOF_TOKEN,
)
from postroom.errors import Code
from postroom.rpc.door import Incoming, Outgoing
from postroom.storage import held
from postroom.storage.failures import StoreFailure
from postroom.storage.store import Store
from postroom.storage.verify import verify
from tests.doubles import ManualClock
from tests.room import CONTRACT, Room, refused

SERVICE = "agent.v1.AgentService"


@pytest.fixture
def pair(room: Room) -> tuple[str, str]:
    """Two agents, of whom the second holds one mail."""
    alfa, bravo = room.agent("alfa").id, room.agent("bravo").id
    room.send(alfa, bravo, "between us")
    return alfa, bravo


def reads_of(room: Room, id: str) -> list[Any]:
    """What the operator is told of the looks into a mailbox, newest first."""
    return list(room.call("ListMailboxReads", id=id).reads)


@pytest.mark.parametrize("direction", [MAIL_DIRECTION_RECEIVED, MAIL_DIRECTION_SENT])
def test_an_agent_at_the_operators_mailbox(
    room: Room, pair: tuple[str, str], direction: int
) -> None:
    refused(partial(room.call, "ListMail", pair[0], id="operator", direction=direction))
    (read,) = reads_of(room, "operator")
    assert (read.reader_agent_id, read.agent_id, read.reason) == (
        pair[0],
        "operator",
        "OPERATOR_MAILBOX",
    )
    assert (read.event, read.method) == (MAILBOX_READ_EVENT_REFUSED, f"{SERVICE}/ListMail")
    assert (read.direction, read.mail_count, read.attempts) == (direction, 0, 1)
    assert read.HasField("mail_count")
    assert read.proof == READER_PROOF_NAMED


def test_an_agent_at_anothers_record_of_looks(room: Room, pair: tuple[str, str]) -> None:
    alfa, bravo = pair
    refused(partial(room.call, "ListMailboxReads", alfa, id=bravo))
    (read,) = reads_of(room, bravo)
    assert (read.reader_agent_id, read.reason) == (alfa, "NOT_YOUR_MAILBOX")
    assert read.direction == MAIL_DIRECTION_UNSPECIFIED


def test_an_agent_where_mailboxes_are_closed(
    store: Store, clock: ManualClock, room: Room, pair: tuple[str, str]
) -> None:
    alfa, bravo = pair
    closed = Room(store, clock, foreign_reads=False)
    refusal = refused(partial(closed.call, "ListMail", alfa, id=bravo))
    closed.close()
    assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "FOREIGN_READS_OFF")
    assert [read.reason for read in reads_of(room, bravo)] == ["FOREIGN_READS_OFF"]


@pytest.mark.parametrize(
    ("method", "fields"),
    [("ListMail", {}), ("ReadMail", {}), ("SendMail", {"to": "bravo", "body": "as bravo"})],
)
def test_a_token_of_one_agent_that_names_another(
    room: Room, pair: tuple[str, str], method: str, fields: dict[str, str]
) -> None:
    alfa, bravo = pair
    made = room.call("CreateToken", agent_id=alfa)
    refusal = refused(lambda: _call(room, method, bravo, made.token, **fields))
    assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "IDENTITY_MISMATCH")
    (read,) = reads_of(room, bravo)
    assert (read.reader_agent_id, read.reason, read.method) == (
        alfa,
        "IDENTITY_MISMATCH",
        f"{SERVICE}/{method}",
    )
    assert (read.proof, read.key_id) == (READER_PROOF_TOKEN, made.key_id)
    for nobody in ("agt_nobody", "agt_\x01"):
        refusal = refused(partial(_call, room, method, nobody, made.token, **fields))
        assert refusal.reason == "IDENTITY_MISMATCH"
    assert len(reads_of(room, bravo)) == 1


def _call(room: Room, method: str, agent_id: str, token: str, **fields: str) -> Any:
    spec = next(spec for spec in CONTRACT.specs if spec.name == method)
    metadata = (("postroom-agent-id", agent_id), ("authorization", f"Bearer {token}"))
    incoming = Incoming(metadata, None, "10.1.2.3", (), surface="grpc")
    request = spec.request_class(**fields)
    return room._runner.run(room.registry.call(spec, request, incoming, Outgoing()))


def test_repeating_a_refused_look_leaves_few_records_that_say_how_often(
    room: Room, pair: tuple[str, str], clock: ManualClock, store: Store, database_url: str
) -> None:
    alfa, bravo = pair
    look = partial(room.call, "ListMailboxReads", alfa, id=bravo)
    for _ in range(100):
        refused(look)
    assert [read.attempts for read in reads_of(room, bravo)] == [32, 16, 8, 4, 2, 1, 1]
    clock.advance(seconds=3600)
    refused(look)
    assert reads_of(room, bravo)[0].attempts == 1
    assert store
    assert verify(database_url).reads == 8


@pytest.mark.parametrize("as_", ["operator", "owner"])
def test_where_it_cannot_be_recorded_it_is_refused_all_the_same(
    room: Room, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch, as_: str
) -> None:
    alfa, bravo = pair
    owner = {"operator": "operator", "owner": bravo}[as_]
    method = {"operator": "ListMail", "owner": "ListMailboxReads"}[as_]

    def full(*_: object) -> None:
        raise StoreFailure("full")

    with monkeypatch.context() as broken:
        broken.setattr(held, "append", full)
        refusal = refused(partial(room.call, method, alfa, id=owner))
    assert refusal.code is Code.PERMISSION_DENIED
    assert reads_of(room, owner) == []


def test_from_where_a_reader_called_is_told_to_the_operator_alone(
    room: Room, pair: tuple[str, str]
) -> None:
    alfa, bravo = pair
    made = room.call("CreateToken", agent_id=alfa)
    spec = next(spec for spec in CONTRACT.specs if spec.name == "ListMail")
    metadata = (("authorization", f"Bearer {made.token}"), ("idempotency-key", "k" * 200))
    incoming = Incoming(metadata, None, "10.1.2.3", (), surface="json")
    request = spec.request_class(id=bravo)
    room._runner.run(room.registry.call(spec, request, incoming, Outgoing()))
    (told,) = reads_of(room, bravo)
    assert (told.peer, told.key_id, told.request_id) == ("10.1.2.3", made.key_id, "k" * 128)
    (own,) = room.call("ListMailboxReads", bravo).reads
    assert (own.peer, own.key_id, own.request_id) == ("", "", "")
    assert (own.surface, own.proof, own.mail_count) == ("json", READER_PROOF_TOKEN, 1)
