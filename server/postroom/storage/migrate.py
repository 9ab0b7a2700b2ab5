"""Bring a database to the newest schema, or refuse one that is newer."""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files

from postroom.storage import reads
from postroom.storage.database import Connection
from postroom.storage.failures import StoreFailure

# What SQL alone cannot do.
_AFTERWARDS: Mapping[int, Callable[[Connection], None]] = {3: reads.link_all}


class SchemaTooNew(Exception):
    """The database was made by a newer postroom, whose schema this one does not know."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"the database has schema {found}, and this postroom knows schemas up to {known}; "
            "upgrade postroom, or name another database"
        )


def migrations() -> Sequence[tuple[int, str]]:
    """The numbered migrations, oldest first."""
    folder = files("postroom.storage") / "migrations"
    found = [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]
    return sorted((int(entry.name[:4]), entry.read_text()) for entry in found)


def migrate(connection: Connection, now: int, patience: float) -> None:
    """Apply what is missing, all in one transaction, so that a kill leaves no half.

    Servers that start together wait for one another. Raises SchemaTooNew.
    """
    known = migrations()
    if version(connection) == known[-1][0]:
        return
    _begin(connection, patience)
    try:
        _apply(connection, known, now)
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def _begin(connection: Connection, patience: float) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            connection.begin()
        except StoreFailure as failed:
            if failed.kind != "busy" or time.monotonic() >= until:
                raise
        else:
            return


def version(connection: Connection) -> int:
    """The number of the newest migration that the database has, 0 for a new one."""
    if not connection.has_table("settings"):
        return 0
    row = connection.one("SELECT value FROM settings WHERE name = 'schema_version'")
    return int(row[0]) if row else 0


def _apply(connection: Connection, known: Sequence[tuple[int, str]], now: int) -> None:
    if connection.dialect.schema_lock:
        connection.run(connection.dialect.schema_lock)
    found = version(connection)
    if found > known[-1][0]:
        raise SchemaTooNew(found, known[-1][0])
    for number, text in known:
        if number > found:
            for statement in statements_of(text.format(now=now, **connection.dialect.words)):
                connection.run(statement)
            _AFTERWARDS.get(number, _nothing)(connection)
    _keep(connection, "schema_version", str(known[-1][0]))
    if not cursor_key(connection):
        _keep(connection, "cursor_key", secrets.token_hex(32))


def statements_of(text: str) -> list[str]:
    """The statements of a migration; comments stand on lines of their own."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("--"))
    return [statement for part in "\n".join(lines).split(";") if (statement := part.strip())]


def cursor_key(connection: Connection) -> bytes:
    """The key that all servers of this database sign cursors with; made once."""
    row = connection.one("SELECT value FROM settings WHERE name = 'cursor_key'")
    return bytes.fromhex(row[0]) if row else b""


def _keep(connection: Connection, name: str, value: str) -> None:
    connection.run(
        "INSERT INTO settings (name, value) VALUES (?, ?) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def _nothing(_: Connection) -> None:
    """The migration is complete."""
