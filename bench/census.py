"""Count what is in a database, past the server."""

from dataclasses import astuple, dataclass
from urllib.parse import urlsplit

from bench.trouble import Trouble
from postroom.storage import open as opening
from postroom.storage import postgres, sqlite

_COUNT = """
SELECT (SELECT COUNT(*) FROM mail), SUM(received), SUM(sent), SUM(waiting) FROM mailbox
"""


@dataclass(frozen=True)
class Count:
    """Rows of mail, and the sums of the mailboxes' counters."""

    rows: int
    received: int
    sent: int
    waiting: int

    def __sub__(self, other: "Count") -> "Count":
        return Count(*(a - b for a, b in zip(astuple(self), astuple(other), strict=True)))


class Census:
    """Counts one database and compares with what should have changed."""

    def __init__(self, database: str) -> None:
        is_file = urlsplit(database).scheme == "sqlite"
        connect = sqlite.connect(opening.sqlite_path(database)) if is_file else None
        self._connection = connect or postgres.connect(database)
        self._before = self.count()

    def count(self) -> Count:
        """Count now."""
        self._connection.open()
        row = self._connection.one(_COUNT)
        self._connection.close()
        assert row is not None
        return Count(*map(int, row))

    def remember(self) -> None:
        """Take the present count as the one to compare with."""
        self._before = self.count()

    def must_have_changed(self, what: str, by: Count) -> None:
        """Compare with the remembered count. Raises Trouble."""
        change = self.count() - self._before
        if change != by:
            raise Trouble(f"{what}: counted {change}, and there should be {by}")
