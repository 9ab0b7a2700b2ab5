"""Whether a SQLite file is whole: looked at when it is opened, and remembered.

The look goes on in a thread of its own while the server serves, because a big file
takes longer than a start may. Once damage is known nothing is served any more: a
list from a damaged file could be short, and nobody would notice.
"""

import contextlib
import logging
import sqlite3
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote

from postroom.storage.database import Connection
from postroom.storage.failures import StoreFailure, failure
from postroom.storage.sqlite import BadFile
from postroom.storage.store import InlineStore

log = logging.getLogger(__name__)

# A start waits this long for the outcome; a file of 100,000 mails takes about as long.
START_SECONDS = 0.5
_CLOSE_SECONDS = 2.0


class DamagedFile(BadFile):
    """The database's file is damaged; it was left as it is."""

    def __init__(self, path: Path, finding: str) -> None:
        super().__init__(
            f"the database file {path} is damaged ({finding}) and was left as it is; put a backup "
            f"in its place, or save what can be read with: sqlite3 {path} .recover"
        )


class Integrity:
    """What is known about one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._finding = ""
        self._is_served = False
        self._connection: sqlite3.Connection | None = None
        self._thread = threading.Thread(target=self._look, name="postroom-integrity", daemon=True)

    def look(self) -> None:
        """Begin to look. Raises DamagedFile when damage is found at once."""
        self._thread.start()
        self._thread.join(START_SECONDS)
        if self._finding:
            raise DamagedFile(self._path, self._finding)
        self._is_served = True

    def must_be_sound(self) -> None:
        """Raise StoreFailure when the file is known to be damaged."""
        if self._finding:
            raise StoreFailure("corrupt")

    def found(self, finding: str) -> None:
        """Remember damage."""
        if self._is_served and not self._finding:
            log.error("the database file %s is damaged: %s", self._path, finding)
        self._finding = self._finding or finding

    def close(self) -> None:
        """Stop looking."""
        connection = self._connection
        if connection is not None:
            # It may be closed already, which is as good.
            with contextlib.suppress(sqlite3.ProgrammingError):
                connection.interrupt()
        self._thread.join(_CLOSE_SECONDS)

    def _look(self) -> None:
        # Read-only: closing it must not write a log into a damaged file.
        uri = f"file:{quote(str(self._path))}?mode=ro"
        try:
            with contextlib.closing(sqlite3.connect(uri, uri=True)) as self._connection:
                ((told,),) = self._connection.execute("PRAGMA integrity_check(1)")
        except UnicodeDecodeError as error:
            # What is told about damage quotes the damage, which may be no text.
            self.found(error.object.decode(errors="replace"))
        except sqlite3.Error as error:
            # Whatever else is wrong is told by who opens the file to use it.
            found = failure(error)
            if found is not None and found.kind == "corrupt":
                self.found(str(error))
        else:
            if told != "ok":
                self.found(str(told).splitlines()[-1])


class CheckedConnection(Connection):
    """Uses the file only while it is not known to be damaged."""

    def __init__(self, plain: Connection, integrity: Integrity) -> None:
        super().__init__(plain.peewee, plain.dialect)
        self._integrity = integrity

    def open(self) -> None:
        """See Connection.open."""
        self._integrity.must_be_sound()
        super().open()

    def _told(self, error: Exception) -> Exception:
        told = super()._told(error)
        if isinstance(told, StoreFailure) and told.kind == "corrupt":
            self._integrity.found(str(error))
        return told


class CheckedStore(InlineStore):
    """A store on one file that is looked at as a whole."""

    def __init__(self, plain: Connection, path: Path, *arguments: Any) -> None:
        self._integrity = Integrity(path)
        self._integrity.look()
        super().__init__(CheckedConnection(plain, self._integrity), *arguments)

    def close(self) -> None:
        """See Store."""
        self._integrity.close()
        super().close()
