"""`postroom audit verify` reads the database itself and says whether the record is whole."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from postroom.chain import GENESIS
from postroom.clock import SystemClock
from postroom.storage import migrate, open_store
from tests.conformance.callers import Desk

from .conftest import Postroom


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data directory whose server has stopped, and whose record holds three looks."""
    clock = SystemClock()
    store = open_store(f"sqlite:///{tmp_path / 'mail.db'}", clock)
    desk = Desk(store, clock)
    alfa, bravo = desk.agents("alfa", "bravo")
    for _ in range(3):
        desk.call("ListMail", alfa, id=bravo)
    store.close()
    return tmp_path


def change(folder: Path, text: str) -> None:
    with closing(sqlite3.connect(folder / "mail.db")) as database, database:
        database.execute(text)


def test_a_whole_record_is_told_with_its_head(
    postroom: Postroom, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (folder / "mail.db").read_bytes()
    ended = postroom("audit", "verify", "--data-dir", str(folder))
    assert (ended.status, ended.err) == (0, "")
    reads, head = ended.out.decode().splitlines()
    assert reads == "records 3"
    assert len(head.removeprefix("head ")) == 64
    given = ("--database", f"sqlite:///{folder / 'mail.db'}", "--since", head[5:])
    assert postroom("audit", "verify", *given) == ended
    monkeypatch.setenv("POSTROOM_DATA_DIR", str(folder))
    assert postroom("audit", "verify", "--since", GENESIS) == ended
    assert (folder / "mail.db").read_bytes() == before
    assert [each.name for each in folder.iterdir()] == ["mail.db"]


def test_the_first_record_that_was_tampered_with_is_named(postroom: Postroom, folder: Path) -> None:
    change(folder, "UPDATE mailbox_read SET read_at = read_at + 1 WHERE number >= 2")
    ended = postroom("audit", "verify", "--data-dir", str(folder))
    assert (ended.status, ended.out) == (1, b"")
    assert ended.err.startswith("data_loss: record 2 (read_")
    assert "was changed" in ended.err


def test_a_tail_that_was_cut_is_noticed_by_the_head_before(
    postroom: Postroom, folder: Path
) -> None:
    out = postroom("audit", "verify", "--data-dir", str(folder)).out.decode()
    head = out.splitlines()[1].removeprefix("head ")
    change(folder, "DELETE FROM mailbox_read WHERE number = 3")
    ended = postroom("audit", "verify", "--data-dir", str(folder))
    assert (ended.status, "end after 2 and should be 3" in ended.err) == (1, True)
    change(
        folder,
        "UPDATE mailbox_read_chain SET (reads, head) = "
        "(SELECT number, hash FROM mailbox_read WHERE number = 2)",
    )
    assert postroom("audit", "verify", "--data-dir", str(folder)).status == 0
    ended = postroom("audit", "verify", "--data-dir", str(folder), "--since", head)
    assert (ended.status, f"no record has the hash {head}" in ended.err) == (1, True)


def test_what_cannot_be_verified_is_no_tampering(
    postroom: Postroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify = ("audit", "verify", "--data-dir", str(tmp_path))
    ended = postroom(*verify)
    assert (ended.status, list(tmp_path.iterdir())) == (19, [])
    assert ended.err.startswith("failed_precondition: there is no database file")
    assert postroom("audit", "verify", "--database", "mysql://x").status == 13
    assert postroom("audit", "verify", "--since", "abc").status == 2
    (tmp_path / "mail.db").write_bytes(b"no database at all, but some text instead" * 50)
    assert postroom(*verify).err.startswith("data_loss: the database is damaged")
    (tmp_path / "mail.db").unlink()
    older = migrate.migrations()[:2]
    with monkeypatch.context() as patched:
        patched.setattr(migrate, "migrations", lambda: older)
        open_store(f"sqlite:///{tmp_path / 'mail.db'}", SystemClock()).close()
    ended = postroom(*verify)
    assert (ended.status, "has schema 2" in ended.err) == (19, True)
