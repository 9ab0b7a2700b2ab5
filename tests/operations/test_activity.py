"""last_active_at: moved by every write, and by reads at most once a minute."""

from collections.abc import Callable
from functools import partial

import pytest

from postroom.storage.store import Store
from tests.doubles import ManualClock
from tests.room import Room, refused


@pytest.fixture
def seen(room: Room, store: Store) -> Callable[[str], str]:
    """Tells an agent's last_active_at as minutes and seconds."""

    def last_active_at(id: str) -> str:
        # Reads are written down afterwards; this waits for them.
        store.check()
        at: str = room.call("GetAgent", "operator", id=id).agent.last_active_at
        return at[14:19]

    return last_active_at


@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("SendMail", {"to": "bravo", "body": "hello"}),
        ("ReadMail", {}),
        ("CreateAgent", {"name": "kid"}),
        ("SetAgentState", {"state": 2}),
        ("ArchiveAgent", {}),
    ],
)
def test_every_write_moves_it(
    room: Room,
    clock: ManualClock,
    seen: Callable[[str], str],
    method: str,
    fields: dict[str, object],
) -> None:
    alfa, _ = room.agent("alfa"), room.agent("bravo")
    if method == "SetAgentState":
        fields = fields | {"id": alfa.id}
    if method == "ArchiveAgent":
        fields = {"id": room.agent("kid", parent_id=alfa.id).id}
    for expected in ("30:01", "30:02"):
        clock.advance(seconds=1)
        if method == "CreateAgent":
            fields = {"name": f"kid-{expected[-1]}"}
        room.call(method, alfa.id, **fields)
        assert seen(alfa.id) == expected


def test_a_refused_write_does_not_move_it(
    room: Room, clock: ManualClock, seen: Callable[[str], str]
) -> None:
    alfa = room.agent("alfa")
    clock.advance(minutes=5)
    refused(lambda: room.send(alfa.id, "nobody"))
    assert seen(alfa.id) == "30:00"


@pytest.mark.parametrize(
    "method", ["ListMail", "GetAgent", "ListAgents", "ListWorkflows", "ListMailboxReads"]
)
def test_reads_move_it_at_most_once_a_minute(
    room: Room, clock: ManualClock, seen: Callable[[str], str], method: str
) -> None:
    alfa = room.agent("alfa")
    read = partial(room.call, method, alfa.id, **({"id": alfa.id} if method == "GetAgent" else {}))
    for seconds, expected in ((59, "30:00"), (1, "31:00"), (59, "31:00"), (2, "32:01")):
        clock.advance(seconds=seconds)
        read()
        assert seen(alfa.id) == expected


def test_a_foreign_read_moves_the_readers_and_not_the_owners(
    room: Room, clock: ManualClock, seen: Callable[[str], str]
) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    clock.advance(seconds=70)
    room.call("ListMail", alfa.id, id=bravo.id)
    assert (seen(alfa.id), seen(bravo.id)) == ("31:10", "30:00")


def test_mail_that_arrives_does_not_move_it(
    room: Room, clock: ManualClock, seen: Callable[[str], str]
) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    clock.advance(seconds=5)
    room.send(alfa.id, bravo.id)
    assert seen(bravo.id) == "30:00"


def test_a_clock_that_goes_back_does_not_take_it_back_by_reading(
    room: Room, clock: ManualClock, seen: Callable[[str], str]
) -> None:
    alfa = room.agent("alfa")
    clock.advance(minutes=-10)
    room.received(alfa.id)
    room.call("ReadMail", alfa.id)
    assert seen(alfa.id) == "30:00"
