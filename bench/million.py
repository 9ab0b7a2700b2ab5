"""A mailbox with half of a million mails, written straight into SQLite's tables."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

from bench.people import piece
from postroom.agent import Agent
from postroom.assemble import PostRoom
from postroom.instant import DAY
from postroom.mail import MailKind
from postroom.rpc.messages import mail_message

_KEEP = """
INSERT INTO mail (id, recipient, received_number, sender, sent_number, kind, created_at,
                  expires_at, claimed_at, checksum, wire)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_COUNT = """
UPDATE mailbox SET received = ?, sent = ?, claimed_through = ?, last_active_at = ?
WHERE agent = ?
"""
_PAIR = "INSERT INTO exchange (low, high, mails) VALUES (?, ?, ?)"
_ID_TAG = b"\x0a"
Row = tuple[str, int, int, int, int, int, int, int, int, int, bytes]


class Bulk:
    """Claimed mail among agents; the hot one receives every second piece."""

    def __init__(self, room: PostRoom, hot: Agent, others: Sequence[Agent]) -> None:
        self._room = room
        self._hot = hot
        self._others = others
        self._now = room.office.clock.now()
        self._received: Counter[int] = Counter()
        self._sent: Counter[int] = Counter()
        self._pairs: Counter[tuple[int, int]] = Counter()
        self._wires: dict[tuple[int, int], bytes] = {}

    def write(self, file: Path, total: int) -> None:
        """Write so many pieces and every counter that they change."""
        connection = sqlite3.connect(file, isolation_level=None)
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(_KEEP, self._rows(total))
        connection.executemany(_COUNT, self._counts())
        connection.executemany(_PAIR, ((*pair, mails) for pair, mails in self._pairs.items()))
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()

    def _rows(self, total: int) -> Iterator[Row]:
        count = len(self._others)
        for at in range(total):
            half = at // 2
            sender = self._others[half % count]
            partner = self._others[(half + 1 + half // count % (count - 1)) % count]
            yield self._row(at, sender, partner if at % 2 else self._hot)

    def _row(self, at: int, sender: Agent, recipient: Agent) -> Row:
        to, by = recipient.number, sender.number
        self._received[to] += 1
        self._sent[by] += 1
        self._pairs[min(to, by), max(to, by)] += 1
        # Sorts before every id that is made now.
        id = f"mail_{at:026}"
        wire = _ID_TAG + bytes([len(id)]) + id.encode() + self._wire(sender, recipient)
        now, expiry = self._now, self._now + 7 * DAY
        numbers = (to, self._received[to], by, self._sent[by])
        return (id, *numbers, MailKind.PLAIN, now, expiry, now, crc32(wire), wire)

    def _wire(self, sender: Agent, recipient: Agent) -> bytes:
        """The stored form after the id, which is the same for each piece of a pair."""
        pair = (sender.number, recipient.number)
        if pair not in self._wires:
            message = mail_message(piece(self._room, sender, recipient))
            message.ClearField("id")
            self._wires[pair] = message.SerializeToString()
        return self._wires[pair]

    def _counts(self) -> Iterator[tuple[int, int, int, int, int]]:
        for agent in (self._hot, *self._others):
            received, sent = self._received[agent.number], self._sent[agent.number]
            yield received, sent, received, self._now, agent.number
