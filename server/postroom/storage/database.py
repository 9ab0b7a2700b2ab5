"""One database behind Peewee's connection: statements, transactions, errors."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import peewee

from postroom.storage.failures import StoreFailure, failure, is_connection_lost
from postroom.storage.statements import Rows

Row = tuple[Any, ...]


class Dialect(Protocol):
    """Where SQLite and PostgreSQL differ."""

    # The words that stand for themselves in migrations.
    words: Mapping[str, str]
    # What to run so that only one server at a time changes the schema.
    schema_lock: str
    # Whether many rows are best stored by one statement on arrays.
    takes_arrays: bool
    # Whether full text is a tsvector, and not FTS5.
    has_tsvector: bool
    # Begins to read one state of the database.
    snapshot: str
    # Begins to write; a lock that somebody else has is waited for as briefly as any is.
    begin_write: str
    # Moves last_active_at of an agent that is not locked: instant, agent, instant.
    touch: str

    def sql(self, text: str) -> str:
        """A statement written with ? in the database's own parameter style."""
        ...


class Connection:
    """Each thread's own connection. Driver errors leave it as StoreFailure."""

    def __init__(self, database: peewee.Database, dialect: Dialect) -> None:
        # Peewee's own annotations are partial.
        self.peewee: Any = database
        self.dialect = dialect
        self._texts: dict[str, str] = {}

    def run(self, text: str, parameters: Sequence[Any] = ()) -> Any:
        """Execute one statement and return the driver's cursor."""
        statement = self._texts.get(text)
        if statement is None:
            statement = self._texts[text] = self.dialect.sql(text)
        try:
            return self.peewee.connection().execute(statement, parameters)
        except Exception as error:
            raise self._told(error) from error

    def run_each(self, text: str, rows: Sequence[Row]) -> None:
        """Execute one statement for each row."""
        try:
            self.peewee.connection().executemany(text, rows)
        except Exception as error:
            raise self._told(error) from error

    def store(self, texts: Rows, rows: Sequence[Row]) -> None:
        """Execute a statement for all rows, in the way that suits the database."""
        if not rows:
            return
        if self.dialect.takes_arrays:
            self.run(texts.arrays, columns(rows))
        else:
            self.run_each(texts.each, rows)

    def all(self, text: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Execute a query and return its rows."""
        cursor = self.run(text, parameters)
        # Some errors, such as a damaged page, only come with the rows.
        try:
            rows: list[Row] = cursor.fetchall()
        except Exception as error:
            raise self._told(error) from error
        return rows

    def one(self, text: str, parameters: Sequence[Any] = ()) -> Row | None:
        """Execute a query and return its first row."""
        rows = self.all(text, parameters)
        return rows[0] if rows else None

    def query(self, query: Any) -> Any:
        """Execute a Peewee query here."""
        try:
            return query.execute(self.peewee)
        except Exception as error:
            raise self._told(error) from error

    def rows(self, query: Any) -> list[Row]:
        """Execute a Peewee select here and return its rows."""
        try:
            return list(query.tuples().execute(self.peewee))
        except Exception as error:
            raise self._told(error) from error

    def has_table(self, name: str) -> bool:
        """Whether the table is there."""
        try:
            return bool(self.peewee.table_exists(name))
        except Exception as error:
            raise self._told(error) from error

    def begin(self) -> None:
        """Open a writing transaction. Raises StoreFailure where that is locked for long."""
        self.open()
        self.run(self.dialect.begin_write)

    def commit(self) -> None:
        """Make the transaction durable."""
        self.run("COMMIT")

    def rollback(self) -> None:
        """End the transaction without a trace; the first error is the one that counts."""
        with contextlib.suppress(Exception):
            self.peewee.connection().execute("ROLLBACK")

    def open(self) -> None:
        """Connect this thread if it is not connected."""
        if self.peewee.is_closed():
            try:
                self.peewee.connect(reuse_if_open=True)
            except Exception as error:
                raise self._told(error) from error

    def close(self) -> None:
        """Disconnect this thread."""
        with contextlib.suppress(Exception):
            self.peewee.close()

    def _told(self, error: Exception) -> Exception:
        """The failure that a driver's error means; drops a connection that is lost."""
        if isinstance(error, UnicodeDecodeError):
            # Texts of a damaged file, and what the driver says about them, may be no text.
            return StoreFailure("corrupt")
        found = failure(error)
        if found is None:
            return error
        if is_connection_lost(error):
            self.close()
        return found


def columns(rows: Sequence[Row]) -> list[list[Any]]:
    """Rows turned into arrays of columns."""
    return [list(column) for column in zip(*rows, strict=True)]
