"""SQLite: one file, many readers, one writer at a time."""

import contextlib
import os
import sqlite3
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from peewee import SqliteDatabase

from postroom.storage import statements
from postroom.storage.database import Connection

# WAL lets reads go on beside a write. FULL flushes the log before each commit
# returns: what was acknowledged survives a power failure (reliability.md, fact 1).
_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "foreign_keys": 1,
    "cache_size": -32_000,
    # One look at a lock, in milliseconds; who wants to wait longer looks again.
    "busy_timeout": 50,
}


class SqliteDialect:
    """Where SQLite differs from PostgreSQL."""

    schema_lock = ""
    takes_arrays = False
    has_tsvector = False
    snapshot = "BEGIN"
    # Takes the write lock before the first read, so that no upgrade can fail.
    begin_write = "BEGIN IMMEDIATE"
    touch = statements.TOUCH
    words: Mapping[str, str] = {
        "key": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "bytes": "BLOB",
        "without_rowid": "WITHOUT ROWID",
        "long_keys": "",
        # Words come ready (postroom.words): the tokenizer has only to part them at spaces.
        "words_table": (
            "CREATE VIRTUAL TABLE message_words USING "
            "fts5 (words, participants, content='', tokenize='ascii')"
        ),
    }

    def sql(self, text: str) -> str:
        """SQLite's parameters are question marks already."""
        return text


class BadFile(Exception):
    """The database's file cannot be used; the text says what to do about it."""


class UnwritableFile(BadFile):
    """The file or its folder is read-only for this user."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"the database file {path} or its folder cannot be written to; mend its permissions or "
            "its mount, or name another database with --database or POSTROOM_DATABASE_URL"
        )


class EmptyFile(BadFile):
    """The database's file has no content: it was cut off, or never was a database."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"the database file {path} is empty, as after a failed copy or a full disk; restore "
            "it from a backup, or remove the file to start with a new database"
        )


class DatabaseLost(BadFile):
    """There is an archive of projects, and no database that knows of them."""

    def __init__(self, archive: Path) -> None:
        super().__init__(
            f"there is an archive in {archive}, but the database has nothing of it: it was lost or "
            "another one is named. Rebuild it with: postroom recover. Or name the right one with "
            "--database, or another data directory with --data-dir"
        )


class NoFile(BadFile):
    """There is no database where one is looked at."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"there is no database file {path}; name another one with --database or "
            "POSTROOM_DATABASE_URL, or its folder with --data-dir or POSTROOM_DATA_DIR"
        )


def connect(path: Path) -> Connection:
    """Prepare the connections to a file. Makes its folder, for this user alone.

    Raises UnwritableFile, and EmptyFile rather than make a new database where one seems
    to be lost.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size == 0:
        raise EmptyFile(path)
    if not all(os.access(each, os.W_OK) for each in (path.parent, path) if each.exists()):
        raise UnwritableFile(path)
    if not path.exists():
        _create(path)
    peewee = SqliteDatabase(str(path), pragmas=_PRAGMAS, timeout=0.05, lock_type="IMMEDIATE")
    return Connection(peewee, SqliteDialect())


def connect_to_look(path: Path) -> Connection:
    """Prepare a connection that changes nothing. Raises NoFile."""
    if not path.exists():
        raise NoFile(path)
    # Not mode=ro: such a connection leaves a log behind that nobody removes.
    uri = f"file:{quote(str(path))}?mode=rw"
    peewee = SqliteDatabase(uri, uri=True, pragmas={"query_only": 1}, timeout=5)
    return Connection(peewee, SqliteDialect())


def _create(path: Path) -> None:
    """Put a whole database in place at once: a start that is killed leaves no empty file."""
    with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
        fresh = Path(folder) / path.name
        # SQLite gives -wal and -shm the file's own mode, so 0600 covers them too.
        os.close(os.open(fresh, os.O_CREAT | os.O_WRONLY, stat.S_IRUSR | stat.S_IWUSR))
        with contextlib.closing(sqlite3.connect(fresh)) as connection:
            connection.execute("PRAGMA journal_mode = wal")
        # Another server that starts now may have been faster.
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(fresh)
