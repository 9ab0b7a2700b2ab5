"""Mail in the database: the hot path, in SQL."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from postroom.agent import Agent
from postroom.mail import MailDirection, MailKind, Parties, Piece
from postroom.storage import statements
from postroom.storage.database import Connection
from postroom.storage.failures import StoreFailure
from postroom.storage.transaction import Transaction

# Above every number that a list can reach; both databases take it as 64 bits.
NO_BOUND = 2**62
_SIDES = {MailDirection.RECEIVED: statements.RECEIVED, MailDirection.SENT: statements.SENT}


class MailQueries(Transaction):
    """The part of a session that deals with mail."""

    def parties(self, mail_id: str) -> Parties | None:
        """See Session.parties."""
        row = self.connection.one(statements.PARTIES, (mail_id,))
        return Parties(*row) if row else None

    def mail(
        self, agent: int, direction: MailDirection, *, before: int | None, limit: int, now: int
    ) -> Sequence[Piece]:
        """See Session.mail."""
        bound = NO_BOUND if before is None else before
        return self._pieces(_SIDES[direction], (agent, bound, now, limit))

    def mail_for_others(
        self, agent: int, direction: MailDirection, *, before: int | None, limit: int, now: int
    ) -> Sequence[Piece]:
        """See MessageQuestions.mail_for_others."""
        bound = NO_BOUND if before is None else before
        text = statements.TO_OTHERS[_SIDES[direction]]
        return self._pieces(text, (agent, bound, now, limit))

    def arrivals(self, agent: int, *, after: int, limit: int, now: int) -> Sequence[Piece]:
        """See ports.Session.arrivals."""
        return self._pieces(statements.ARRIVALS, (agent, after, now, limit))

    def arrivals_for_others(
        self, agent: int, *, after: int, limit: int, now: int
    ) -> Sequence[Piece]:
        """See MessageQuestions.arrivals_for_others."""
        text = statements.TO_OTHERS[statements.ARRIVALS]
        return self._pieces(text, (agent, after, now, limit))

    def received_counts(self, agents: Sequence[int]) -> Mapping[int, int]:
        """See ports.Session.received_counts."""
        text = statements.RECEIVED_COUNTS.format(holes=", ".join("?" * len(agents)))
        return dict(self.connection.all(text, agents) if agents else ())

    def waiting(self, agent: Agent, *, limit: int, now: int) -> Sequence[Piece]:
        """See Session.waiting."""
        since = agent.mailbox.claimed_through
        return self._pieces(statements.WAITING, (agent.number, since, now, limit))

    def _pieces(self, text: str, parameters: Sequence[Any]) -> Sequence[Piece]:
        """Read pieces. Raises StoreFailure for one that is not as it was stored."""
        rows = self.connection.all(text, parameters)
        if rows:
            _, wires, _, checksums = zip(*rows, strict=True)
            if list(map(crc32, wires)) != list(checksums):
                raise StoreFailure("corrupt")
        return rows

    def count_waiting(
        self, agents: Sequence[Agent], *, now: int, kind: MailKind | None = None
    ) -> Mapping[int, int]:
        """See Session.count_waiting."""
        counts: Counter[int] = Counter({agent.number: 0 for agent in agents})
        if agents:
            text = statements.COUNT_WAITING.format(holes=", ".join("?" * len(agents)))
            for recipient, its_kind, count in self.connection.all(text, (*counts, now)):
                if kind is None or its_kind == kind:
                    counts[recipient] += count
        return counts

    def exchanged(self, one: Agent, other: Agent) -> int:
        """See Session.exchanged."""
        row = self.aside.one(statements.EXCHANGED, pair_of(one.number, other.number))
        return int(row[0]) if row else 0

    def exchanges(self, one: Agent, others: Sequence[Agent]) -> Mapping[int, int]:
        """See Session.exchanges."""
        numbers = [other.number for other in others]
        found = exchanges_of(self.aside, one.number, numbers)
        return {number: found.get(pair_of(one.number, number), 0) for number in numbers}

    def mark_taken(self, agent: Agent, through: int, at: int) -> Mapping[MailKind, int]:
        """Mark an agent's waiting mail up to a number as claimed; how much of each kind is left."""
        since = agent.mailbox.claimed_through
        self.connection.run(statements.CLAIM, (at, agent.number, since, through, at))
        counts = dict.fromkeys(MailKind, 0)
        # Nothing that is claimed now is counted, and nothing that has expired.
        text = statements.COUNT_WAITING.format(holes="?")
        for _, kind, count in self.connection.all(text, (agent.number, at)):
            counts[MailKind(kind)] = count
        return counts


def pair_of(one: int, other: int) -> tuple[int, int]:
    """The key of a pair's exchange."""
    return (one, other) if one < other else (other, one)


def exchanges_of(
    connection: Connection, one: int, others: Sequence[int]
) -> Mapping[tuple[int, int], int]:
    """The counted mails of one agent and the others, for those pairs that have any."""
    if not others:
        return {}
    text = statements.EXCHANGES_OF.format(holes=", ".join("?" * len(others)))
    rows = connection.all(text, (one, *others, one, *others))
    return {(low, high): mails for low, high, mails in rows}
