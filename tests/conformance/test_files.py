"""SQLite files that are new, read-only, emptied, cut off or damaged."""

import contextlib
import random
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from peewee import SqliteDatabase

from postroom.errors import Code, StoreRefusal
from postroom.storage import open_store, sqlite
from postroom.storage.failures import StoreFailure
from postroom.storage.integrity import DamagedFile
from postroom.storage.sqlite import EmptyFile
from tests.conformance.callers import Desk
from tests.doubles import CountingIds, ManualClock
from tests.room import Room

MAILS = 120
REFUSALS = (DamagedFile, EmptyFile, StoreRefusal)


@pytest.fixture
def unflushed() -> None:
    """Flush as a server does."""


def test_the_file_and_its_folder_are_for_this_user_alone(
    tmp_path: Path, clock: ManualClock
) -> None:
    path = tmp_path / "a folder" / "mail.db"
    store = open_store(f"sqlite:///{path}", clock)
    Desk(store, clock).agents("alfa")
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    store.close()
    assert list(path.parent.iterdir()) == [path]


def test_an_acknowledged_write_is_flushed_first(tmp_path: Path, clock: ManualClock) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'mail.db'}", clock)
    pragmas = ("journal_mode", "synchronous", "foreign_keys")

    def settings(connection: object) -> list[object]:
        rows = (connection.one(f"PRAGMA {name}") for name in pragmas)  # type: ignore[attr-defined]
        return [row[0] for row in rows]

    assert settings(store.connection) == ["wal", 2, 1]
    assert store.write(lambda s: settings(s.connection)) == ["wal", 2, 1]  # type: ignore[attr-defined]
    store.close()


@pytest.fixture
def full(tmp_path: Path, clock: ManualClock) -> Path:
    """A file with many mails, of which some are claimed, and one agent without any."""
    path = tmp_path / "full" / "mail.db"
    store = open_store(f"sqlite:///{path}", clock)
    desk = Desk(store, clock, CountingIds())
    # Whatever the seeds damage is the same in every run.
    store.connection.run("UPDATE settings SET value = ? WHERE name = 'cursor_key'", ("00" * 32,))
    alfa, _ = desk.agents("alfa", "bravo")
    for number in range(MAILS):
        desk.call("SendMail", to=alfa, body=str(number) * (1 + number * 7 % 90))
    desk.call("ReadMail", alfa, limit=20)
    store.close()
    return path


def _listed(path: Path, clock: ManualClock) -> tuple[list[str], int]:
    """Everything that one agent holds, and how much waits."""
    store = open_store(f"sqlite:///{path}", clock)
    room = Room(store, clock)
    try:
        alfa = next(a.id for a in room.call("ListAgents").agents if a.name == "alfa")
        ids, cursor = list[str](), ""
        while True:
            page = room.call("ListMail", alfa, pagination={"limit": 50, "cursor": cursor})
            ids += [mail.id + mail.body for mail in page.mail]
            cursor = page.next_page_token
            if not cursor:
                return ids, room.call("GetAgent", id=alfa).agent.waiting
    finally:
        room.close()
        store.close()


def _copies(path: Path, folder: Path, seeds: int) -> Iterator[tuple[Path, random.Random]]:
    for seed in range(seeds):
        copy = folder / f"copy-{seed}" / "mail.db"
        copy.parent.mkdir()
        shutil.copy(path, copy)
        yield copy, random.Random(seed)


def test_a_file_with_flipped_bytes_is_never_a_shorter_or_an_altered_list(
    full: Path, tmp_path: Path, clock: ManualClock
) -> None:
    outcomes = []
    for copy, chance in _copies(full, tmp_path, 60):
        data = bytearray(copy.read_bytes())
        for _ in range(chance.choice((1, 8, 64))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        copy.write_bytes(data)
        outcomes.append(_outcome(copy, clock))
    assert set(outcomes) == {str(_listed(full, clock)[0]), "refused"}
    assert outcomes.count("refused") >= 15


def _outcome(path: Path, clock: ManualClock) -> str:
    """Which mails are listed, or that the file is refused for its damage."""
    try:
        return str(_listed(path, clock)[0])
    except (DamagedFile, EmptyFile):
        return "refused"
    except StoreRefusal as refusal:
        return "refused" if refusal.code is Code.DATA_LOSS else refusal.reason


def test_a_file_that_was_cut_off_is_refused_and_left_as_it_is(
    full: Path, tmp_path: Path, clock: ManualClock
) -> None:
    for copy, chance in _copies(full, tmp_path, 25):
        size = chance.randrange(copy.stat().st_size)
        with copy.open("r+b") as file:
            file.truncate(size)
        before = copy.read_bytes()
        with pytest.raises(REFUSALS):
            _listed(copy, clock)
        assert copy.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"\0" * 4096, b"x" * 5000, b"SQLite format 3\0"])
def test_a_file_without_a_database_in_it_is_refused_and_left_as_it_is(
    tmp_path: Path, clock: ManualClock, content: bytes
) -> None:
    path = tmp_path / "mail.db"
    path.write_bytes(content)
    with pytest.raises(REFUSALS):
        open_store(f"sqlite:///{path}", clock)
    assert path.read_bytes() == content


def test_a_file_that_is_emptied_under_a_running_server_is_no_empty_mailbox(
    full: Path, clock: ManualClock
) -> None:
    store = open_store(f"sqlite:///{full}", clock)
    desk = Desk(store, clock)
    full.write_bytes(b"")
    for work in (
        lambda: store.read(lambda session: session.workflows(after=0, limit=5)),
        lambda: desk.call("ListAgents"),
        lambda: desk.call("CreateAgent", name="carol", workflow="main"),
        store.check,
    ):
        with pytest.raises(StoreFailure) as failed:
            work()
        assert failed.value.kind == "corrupt"
    store.close()


def test_a_read_only_file_still_answers_reads_and_refuses_writes(
    full: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _listed(full, clock)

    def read_only(path: str, **options: Any) -> SqliteDatabase:
        return SqliteDatabase(f"file:{path}?mode=ro", uri=True, **options)

    with contextlib.closing(sqlite3.connect(full)) as keeper:
        # Somebody else has it open, so the shared memory that readers need is there.
        keeper.execute("SELECT COUNT(*) FROM mail").fetchone()
        monkeypatch.setattr(sqlite, "SqliteDatabase", read_only)
        store = open_store(f"sqlite:///{full}", clock)
        desk = Desk(store, clock)
        assert desk.outcome("SendMail", to="alfa", body="x") == "STORAGE_READ_ONLY"
        with pytest.raises(StoreFailure) as failed:
            store.check()
        assert failed.value.kind == "read_only"
        store.close()
        clock.advance(hours=1)
        assert _listed(full, clock) == whole


def test_a_damaged_piece_is_damage_and_no_internal_error(full: Path, clock: ManualClock) -> None:
    with contextlib.closing(sqlite3.connect(full)) as raw:
        raw.execute("UPDATE mail SET wire = x'ffffffff' WHERE number = 60")
        raw.commit()
    with pytest.raises(StoreRefusal, match="damaged") as refused:
        _listed(full, clock)
    assert (refused.value.code, refused.value.reason) == (Code.DATA_LOSS, "STORAGE_CORRUPT")
