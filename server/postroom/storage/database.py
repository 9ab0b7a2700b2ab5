"""One database behind Peewee's connection: statements, transactions, errors."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import peewee

from postroom.storage.failures import failure, is_connection_lost

Row = tuple[Any, ...]


class Dialect(Protocol):
    """Where SQLite and PostgreSQL differ."""

    # The words that stand for themselves in migrations.
    words: Mapping[str, str]
    # What to run so that only one server at a time changes the schema.
    schema_lock: str
    # Whether a read of several queries is put in a transaction of its own.
    reads_in_transaction: bool

    def sql(self, text: str) -> str:
        """A statement written with ? in the database's own parameter style."""
        ...

    def begin_write(self, connection: Any, patience: float) -> None:
        """Open a writing transaction, waiting at most `patience` seconds for a lock."""
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
        with self._translated():
            return self.peewee.connection().execute(statement, parameters)

    def all(self, text: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Execute a query and return its rows."""
        cursor = self.run(text, parameters)
        # Some errors, such as a damaged page, only come with the rows.
        with self._translated():
            rows: list[Row] = cursor.fetchall()
            return rows

    def one(self, text: str, parameters: Sequence[Any] = ()) -> Row | None:
        """Execute a query and return its first row."""
        rows = self.all(text, parameters)
        return rows[0] if rows else None

    def query(self, query: Any) -> Any:
        """Execute a Peewee query here."""
        with self._translated():
            return query.execute(self.peewee)

    def rows(self, query: Any) -> list[Row]:
        """Execute a Peewee select here and return its rows."""
        with self._translated():
            return list(query.tuples().execute(self.peewee))

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """One state of the database for several queries."""
        self.open()
        if not self.dialect.reads_in_transaction:
            yield
            return
        self.run("BEGIN")
        try:
            yield
        finally:
            self.rollback()

    def begin(self, patience: float) -> None:
        """Open a writing transaction. Raises StoreFailure when it has to wait longer."""
        self.open()
        with self._translated():
            self.dialect.begin_write(self.peewee.connection(), patience)

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
            with self._translated():
                self.peewee.connect(reuse_if_open=True)

    def close(self) -> None:
        """Disconnect this thread."""
        with contextlib.suppress(Exception):
            self.peewee.close()

    def _translated(self) -> "_Translated":
        return _Translated(self)


class _Translated:
    """Turns a driver's error into a StoreFailure and drops a connection that is lost."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or not isinstance(error, Exception):
            return
        found = failure(error)
        if found is None:
            return
        if is_connection_lost(error):
            self._connection.close()
        raise found from error
