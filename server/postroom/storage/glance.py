"""A look at a database from outside: nothing is made, migrated or written."""

import contextlib
import sqlite3
from pathlib import Path
from urllib.parse import quote

from postroom.storage import postgres
from postroom.storage.failures import StoreFailure, failure
from postroom.storage.migrate import migrations, version
from postroom.storage.open import is_postgres, sqlite_path
from postroom.storage.sqlite import EmptyFile

_BUSY_SECONDS = 2


def known_schema() -> int:
    """The newest schema that this postroom knows."""
    return migrations()[-1][0]


def schema(url: str) -> int | None:
    """The schema of the database, 0 where it holds nothing of ours, None where there is none yet.

    Raises BadUrl, BadFile, and StoreFailure when the database cannot be read.
    """
    if is_postgres(url):
        return _of_server(url)
    path = sqlite_path(url)
    if not path.exists():
        return None
    if path.stat().st_size == 0:
        raise EmptyFile(path)
    return _of_file(path)


def _of_server(url: str) -> int:
    connection = postgres.connect(url)
    try:
        connection.run("SET default_transaction_read_only = on")
        return version(connection)
    finally:
        connection.close()


def _of_file(path: Path) -> int:
    # Without a log nobody has the file open, and a plain look would make one.
    is_open = path.with_name(f"{path.name}-shm").exists()
    address = f"file:{quote(str(path.absolute()))}?mode=ro{'' if is_open else '&immutable=1'}"
    try:
        with contextlib.closing(
            sqlite3.connect(address, timeout=_BUSY_SECONDS, uri=True)
        ) as connection:
            return _version_in(connection)
    except (sqlite3.Error, ValueError) as error:
        raise failure(error) or StoreFailure("corrupt") from error


def _version_in(connection: sqlite3.Connection) -> int:
    named = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'settings'"
    if not connection.execute(named).fetchone()[0]:
        return 0
    text = "SELECT value FROM settings WHERE name = 'schema_version'"
    row = connection.execute(text).fetchone()
    return int(row[0]) if row else 0
