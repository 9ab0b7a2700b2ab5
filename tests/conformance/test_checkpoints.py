"""SQLite moves its log into the file now and then; where it cannot, nothing else suffers."""

import contextlib
import sqlite3
from pathlib import Path

from postroom.storage import open_store
from tests.conformance.callers import Desk
from tests.doubles import ManualClock

# SQLite begins to move its log at 1,000 pages of 4 KiB.
MAILS, BODY = 450, "x" * 10_000


def test_m33_a_checkpoint_that_fails_stops_neither_reads_nor_writes(
    tmp_path: Path, clock: ManualClock
) -> None:
    path = tmp_path / "mail.db"
    store = open_store(f"sqlite:///{path}", clock)
    desk = Desk(store, clock, mailbox=2 * MAILS)
    (alfa,) = desk.agents("alfa")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        # What a reader still looks at cannot be moved.
        other.execute("BEGIN")
        other.execute("SELECT COUNT(*) FROM mail").fetchone()
        for _ in range(MAILS):
            desk.call("SendMail", to=alfa, body=BODY)
        log = path.with_name(f"{path.name}-wal")
        assert log.stat().st_size > 4_096 * 1_000
        failed, *_ = store.connection.all("PRAGMA wal_checkpoint(TRUNCATE)")[0]
        assert failed
        store.check()
        assert len(desk.call("ListMail", alfa, pagination={"limit": 200}).mail) == 200
        assert desk.call("GetAgent", id=alfa).agent.waiting == MAILS
        other.execute("COMMIT")
    failed, *_ = store.connection.all("PRAGMA wal_checkpoint(TRUNCATE)")[0]
    assert not failed
    assert log.stat().st_size == 0
    desk.call("SendMail", to=alfa, body="after")
    assert desk.call("GetAgent", id=alfa).agent.waiting == MAILS + 1
    store.close()
