"""What the database says, read with plain SQL, against what clients were told."""

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.v1.mail_pb2 import Mail
from postroom.storage.open import sqlite_path

MAIL = "SELECT wire FROM mail ORDER BY number"
MAILBOXES = """
SELECT b.agent, b.received, b.sent, b.waiting,
  (SELECT COUNT(*) FROM mail WHERE recipient = b.agent),
  (SELECT COALESCE(MAX(received_number), 0) FROM mail WHERE recipient = b.agent),
  (SELECT COUNT(*) FROM mail WHERE sender = b.agent),
  (SELECT COUNT(*) FROM mail WHERE recipient = b.agent AND kind = 1 AND claimed_at IS NULL)
FROM mailbox b
"""
EXCHANGES = """
SELECT e.low, e.high, e.mails,
  (SELECT COUNT(*) FROM mail WHERE kind = 1 AND
    ((sender = e.low AND recipient = e.high) OR (sender = e.high AND recipient = e.low)))
FROM exchange e
"""
ANSWERS = "SELECT request_id, response FROM answer"


@contextlib.contextmanager
def connected(url: str) -> Iterator[Any]:
    """A driver's own connection that changes nothing."""
    if url.startswith("sqlite"):
        connection = sqlite3.connect(f"file:{sqlite_path(url)}?mode=ro", uri=True)
    else:
        import psycopg

        connection = psycopg.connect(url, autocommit=True)  # type: ignore[assignment]
    with contextlib.closing(connection):
        yield connection


def query(url: str, text: str) -> list[tuple[Any, ...]]:
    """The rows of one query."""
    with connected(url) as connection:
        return list(connection.execute(text).fetchall())


def stored_mail(url: str) -> list[Mail]:
    """Every piece that is stored."""
    return [Mail.FromString(bytes(wire)) for (wire,) in query(url, MAIL)]


def miscounted(url: str) -> list[str]:
    """Every counter that differs from the rows it counts."""
    wrong = []
    for agent, received, sent, waiting, *rows in query(url, MAILBOXES):
        if [received, received, sent, waiting] != rows:
            wrong.append(f"mailbox {agent}: {received}, {sent}, {waiting} for rows {rows}")
    for low, high, mails, rows_of_pair in query(url, EXCHANGES):
        if mails != rows_of_pair:
            wrong.append(f"exchange {low}-{high}: {mails} for {rows_of_pair} rows")
    return wrong


def damage(path: Path) -> list[str]:
    """What SQLite itself finds wrong with a file; empty when it is sound."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    return [] if found == ["ok"] else found


@dataclass(frozen=True)
class Verdict:
    """A checker's findings; the lists are empty when every promise was kept."""

    acknowledged: int
    lost: list[str]
    doubled: list[str]
    strays: list[str]
    unclear: list[str]
    errors: Counter[str]

    def __str__(self) -> str:
        return (
            f"acknowledged {self.acknowledged}, lost {len(self.lost)}, doubled "
            f"{len(self.doubled)}, strays {len(self.strays)}, errors {dict(self.errors)}"
        )

    def must_be_clean(self, *, at_least: int) -> None:
        """Nothing lost or doubled, nothing left open, and enough done to mean something."""
        print(self)
        assert self.lost == []
        assert self.doubled == []
        assert self.strays == []
        assert self.unclear == []
        assert self.acknowledged >= at_least, "too little happened to show anything"


def judge(entries: Iterable[dict[str, Any]], mail: Sequence[Mail]) -> Verdict:
    """Compare the journals of clients, whose bodies are request ids, with what is stored."""
    entries = list(entries)
    sent = [entry for entry in entries if entry["kind"] == "sent"]
    told: dict[str, set[str]] = {}
    for entry in sent:
        told.setdefault(entry["id"], set()).update({entry["mail"]} - {""})
    stored = Counter(piece.body for piece in mail)
    bodies = {piece.id: piece.body for piece in mail}
    lost = [f"{key} {id}" for key, ids in told.items() for id in ids if bodies.get(id) != key]
    doubled = [key for key in told if stored[key] > 1 or len(told[key]) > 1]
    acknowledged = sum(1 for ids in told.values() if ids)
    strays = [body for body in stored if body not in told]
    unclear = [key for key, ids in told.items() if not ids]
    errors = Counter(f"{e[3]} {e[0]} {e[1]}" for entry in entries for e in entry["errors"])
    return Verdict(acknowledged, lost, doubled, strays, unclear, errors)


def codes(entries: Iterable[dict[str, Any]]) -> set[str]:
    """The codes of all errors that clients met."""
    return {error[0] for entry in entries for error in entry["errors"]}
