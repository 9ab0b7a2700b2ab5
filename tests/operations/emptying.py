"""One PostgreSQL database for many tests: making a new one costs more than most tests do."""

from postroom.storage import migrate
from postroom.storage.models import TABLES, Setting
from postroom.storage.postgres import connect
from tests.doubles import START


def _last_of(migration: int, count: int) -> list[str]:
    """The last statements of a migration: they put in what is there from the start."""
    text = migrate.migrations()[migration - 1][1]
    filled = text.format(now=START, key="", bytes="", without_rowid="")
    return migrate.statements_of(filled)[-count:]


# The operator, and the beginning of the record of foreign reads.
_FROM_THE_START = [*_last_of(1, 2), *_last_of(3, 1)]


class Reused:
    """The database, and a connection that empties it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._connection = connect(url)
        self._tables = [m._meta.table_name for m in reversed(TABLES) if m is not Setting]
        self._counted = [m._meta.table_name for m in TABLES if "number" in m._meta.fields]

    def empty(self) -> str:
        """Leave nothing in it but its settings and the operator; returns its URL."""
        deletes = [f"DELETE FROM {table}" for table in ("message_words", *self._tables)]
        restarts = [f"ALTER SEQUENCE {table}_number_seq RESTART" for table in self._counted]
        self._connection.begin()
        self._connection.run("; ".join([*deletes, *restarts, *_FROM_THE_START]))
        self._connection.commit()
        return self.url

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()
