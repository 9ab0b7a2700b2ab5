"""A database of an older schema is brought to the newest one, with all that is in it."""

import pytest

from postroom.chain import ChainBroken
from postroom.mail import MailDirection
from postroom.records import Proof, ReadEvent
from postroom.storage import migrate, open_store
from postroom.storage.verify import SchemaTooOld, verify
from tests.conformance.callers import Desk
from tests.doubles import START, ManualClock

ALL = migrate.migrations()
PEOPLE = """
INSERT INTO agent (id, name, folded_name, workflow, role, state, program, model, task_description,
                   created_at)
SELECT 'agt_' || id, id, id, NULL, '', 1, '', '', '', 1 FROM (SELECT ? AS id) AS named
"""
LOOK = """
INSERT INTO mailbox_read (id, reader, owner, read_at, method, direction) VALUES (?, ?, ?, ?, ?, ?)
"""
METHODS = ("agent.v1.AgentService/ListMail", "agent.v1.AgentService/WatchMail")


def fill(url: str, schema: int, looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a database as an older server left it."""
    with monkeypatch.context() as older:
        older.setattr(migrate, "migrations", lambda: ALL[:schema])
        store = open_store(url, ManualClock())
        assert migrate.version(store.connection) == schema
        for name in ("alfa", "bravo"):
            store.connection.run(PEOPLE, (name,))
        store.connection.run(
            "INSERT INTO mailbox (agent, last_active_at) SELECT number, 1 FROM agent "
            "WHERE id <> 'operator'"
        )
        for number in range(looks):
            look = (f"read_{number}", 2, 3, START + number, METHODS[number % 2], 1 + number % 2)
            store.connection.run(LOOK, look)
        store.close()


@pytest.mark.parametrize("schema", [1, 2])
@pytest.mark.parametrize("looks", [0, 7, 1_001])
def test_old_records_are_kept_and_begin_the_chain(
    new_database: str, clock: ManualClock, schema: int, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(new_database, schema, looks, monkeypatch)
    store = open_store(new_database, clock)
    assert verify(new_database).reads == looks
    kept = store.read(lambda session: session.reads(3, before=None, limit=looks + 1))
    assert [read.id for read in reversed(kept)] == [f"read_{n}" for n in range(looks)]
    for read in kept:
        watched = read.method == METHODS[1]
        assert read.event is (ReadEvent.WATCH_OPENED if watched else ReadEvent.LOOKED)
        assert read.direction is MailDirection(1 + watched)
        assert (read.proof, read.attempts, read.shown.mails) == (Proof.UNKNOWN, 1, None)
    Desk(store, clock).call("ListMail", "agt_alfa", id="agt_bravo")
    assert verify(new_database).reads == looks + 1
    if looks:
        store.connection.run("UPDATE mailbox_read SET read_at = 1 WHERE id = 'read_5'")
        with pytest.raises(ChainBroken, match="read_5"):
            verify(new_database)
    store.close()


def test_a_server_of_the_schema_before_can_go_on_recording_and_that_shows(
    new_database: str, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(new_database, 2, 1, monkeypatch)
    store = open_store(new_database, clock)
    store.connection.run(LOOK, ("read_late", 2, 3, START, METHODS[0], 1))
    with pytest.raises(ChainBroken, match=r"read_late.*older version"):
        verify(new_database)
    store.close()


def test_a_database_without_the_chain_is_not_verified(
    new_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(new_database, 2, 1, monkeypatch)
    with pytest.raises(SchemaTooOld, match="schema 2"):
        verify(new_database)
