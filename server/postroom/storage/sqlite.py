"""SQLite: one file, many readers, one writer at a time."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from peewee import SqliteDatabase

from postroom.storage.database import Connection

# WAL lets reads go on beside a write. FULL flushes the log before each commit
# returns: what was acknowledged survives a power failure (reliability.md, fact 1).
_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "foreign_keys": 1,
    "cache_size": -32_000,
    "busy_timeout": 50,
}


class SqliteDialect:
    """Where SQLite differs from PostgreSQL."""

    schema_lock = ""
    reads_in_transaction = True
    words: Mapping[str, str] = {
        "key": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "bytes": "BLOB",
        "without_rowid": "WITHOUT ROWID",
    }

    def sql(self, text: str) -> str:
        """SQLite's parameters are question marks already."""
        return text

    def begin_write(self, connection: Any, patience: float) -> None:
        """Take the write lock before the first read, so that no upgrade can fail."""
        connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
        connection.execute("BEGIN IMMEDIATE")


class EmptyFile(Exception):
    """The database's file has no content: it was cut off, or never was a database."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"the database file {path} is empty, as after a failed copy or a full disk; restore "
            "it from a backup, or remove the file to start with a new database"
        )


def connect(path: Path) -> Connection:
    """Prepare the connections to a file. Makes its folder, for this user alone.

    Raises EmptyFile rather than make a new database where one seems to be lost.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size == 0:
        raise EmptyFile(path)
    _create_private(path)
    peewee = SqliteDatabase(str(path), pragmas=_PRAGMAS, timeout=0.05, lock_type="IMMEDIATE")
    return Connection(peewee, SqliteDialect())


def _create_private(path: Path) -> None:
    # SQLite gives -wal and -shm the file's own mode, so 0600 covers them too.
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, stat.S_IRUSR | stat.S_IWUSR))
