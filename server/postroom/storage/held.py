"""Mailboxes under lock, changed in memory and stored with the whole batch.

A send costs no statement of its own: a batch stores all its mail, all counters and
all exchanges together. Whatever a call asks of the database in between is asked
after what is pending was stored, so nobody can tell.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from postroom.agent import Agent
from postroom.mail import Mail, MailKind
from postroom.mailbox import Mailbox
from postroom.records import MailboxRead
from postroom.storage import statements
from postroom.storage.agents import agent_of
from postroom.storage.commit import Spoiled
from postroom.storage.database import Connection, Row, columns
from postroom.storage.mail import exchanges_of, pair_of
from postroom.storage.reads import append

Pair = tuple[int, int]


class Held:
    """What a batch has locked, as it will be when the batch is stored."""

    def __init__(self, connection: Connection) -> None:
        self.plain = connection
        self.connection = _AfterFlush(self)
        self._agents: dict[int, Agent] = {}
        self._numbers: dict[str, int] = {}
        self._exchanges: dict[Pair, int] = {}
        self._changed_agents: set[int] = set()
        self._changed_pairs: set[Pair] = set()
        self._mail: list[Row] = []
        self._reads: list[MailboxRead] = []

    def __len__(self) -> int:
        return len(self._agents) + len(self._exchanges)

    def hold(self, agents: Sequence[Agent]) -> None:
        """Take in agents that are locked."""
        self._agents.update((agent.number, agent) for agent in agents)
        self._numbers.update((agent.id, agent.number) for agent in agents)

    def hold_exchanges(self, pairs: Sequence[Pair]) -> None:
        """Take in how much these pairs have exchanged."""
        self._exchanges |= dict.fromkeys(pairs, 0)
        rows = self.plain.all(statements.EXCHANGES, columns(pairs))
        self._exchanges |= {(low, high): mails for low, high, mails in rows}

    def take(self, agents: Sequence[Agent]) -> Sequence[Agent]:
        """See Locks."""
        return [self._agents.get(agent.number) or self.missing(agent) for agent in agents]

    def missing(self, agent: Agent) -> Agent:
        """An agent that was not locked: the batch must be run in another way."""
        raise Spoiled(agent.id)

    def by_id(self, id: str) -> Agent | None:
        """The held agent with this id."""
        number = self._numbers.get(id)
        return None if number is None else self._agents[number]

    def holds(self, agent: Agent) -> bool:
        """Whether the agent is held."""
        return agent.number in self._agents

    def change(self, number: int, **counters: int) -> None:
        """Change a held agent's counters."""
        agent = self._agents[number]
        self._set(agent, agent.mailbox._replace(**counters))

    def receive(self, mail: Mail) -> int:
        """Count a piece in its mailbox; returns its number there."""
        agent = self._agents[mail.recipient]
        received, sent, waiting, through, active = agent.mailbox
        received += 1
        waiting += mail.kind is MailKind.PLAIN
        self._set(agent, Mailbox(received, sent, waiting, through, active))
        return received

    def send(self, sender: int, at: int) -> int:
        """Count a piece among what its sender sent; returns its number there."""
        agent = self._agents[sender]
        received, sent, waiting, through, active = agent.mailbox
        sent += 1
        self._set(agent, Mailbox(received, sent, waiting, through, max(at, active)))
        return sent

    def _set(self, agent: Agent, mailbox: Mailbox) -> None:
        # Positional, and quick: two for each send.
        self._agents[agent.number] = Agent._make((*agent[:-1], mailbox))
        self._changed_agents.add(agent.number)

    def exchanged(self, pair: Pair) -> int:
        """The counted mails of a pair."""
        mails = self._exchanges.get(pair)
        if mails is None:
            row = self.plain.one(statements.EXCHANGED, pair)
            mails = self._exchanges[pair] = row[0] if row else 0
        return mails

    def exchanges(self, one: int, others: Sequence[int]) -> Mapping[int, int]:
        """The counted mails of one agent with each of the others."""
        pairs = {other: pair_of(one, other) for other in others}
        missing = [other for other, pair in pairs.items() if pair not in self._exchanges]
        self._exchanges |= dict.fromkeys((pairs[other] for other in missing), 0)
        self._exchanges |= exchanges_of(self.plain, one, missing)
        return {other: self._exchanges[pair] for other, pair in pairs.items()}

    def count(self, one: int, other: int) -> None:
        """Count one more mail of a pair."""
        pair = pair_of(one, other)
        self._exchanges[pair] = self.exchanged(pair) + 1
        self._changed_pairs.add(pair)

    def keep(self, mail: Mail, received: int, sent: int | None, wire: bytes) -> None:
        """Store a piece with the rest of the batch."""
        times = mail.created_at, mail.expires_at
        numbers = mail.recipient, received, mail.sender, sent
        self._mail.append((mail.id, *numbers, int(mail.kind), *times, crc32(wire), wire))

    def keep_read(self, read: MailboxRead) -> None:
        """Store a record of a foreign read at the end of the batch."""
        self._reads.append(read)

    def store_reads(self) -> None:
        """Store the records of foreign reads, and with them the rest."""
        self.flush()
        if self._reads:
            reads, self._reads = self._reads, []
            append(self.plain, reads)

    def reload(self, agent_id: str) -> None:
        """Read an agent again after the database changed its row."""
        row = self.connection.one(statements.AGENT_BY_ID, (agent_id,))
        if row and agent_id in self._numbers:
            self.hold([agent_of(row)])

    def flush(self) -> Connection:
        """Store what is pending, and return the connection to go on with."""
        if self._mail:
            mail, self._mail = self._mail, []
            self.plain.store(statements.KEEP_MAIL, mail)
        if self._changed_agents:
            numbers, self._changed_agents = sorted(self._changed_agents), set()
            self.plain.store(statements.SET_MAILBOX, [self._counters(n) for n in numbers])
        if self._changed_pairs:
            pairs, self._changed_pairs = sorted(self._changed_pairs), set()
            self.plain.store(statements.SET_EXCHANGE, [(*p, self._exchanges[p]) for p in pairs])
        return self.plain

    def _counters(self, number: int) -> Row:
        return (*self._agents[number].mailbox, number)


class _AfterFlush(Connection):
    """The batch's connection for everything that is not kept in memory."""

    def __init__(self, held: Held) -> None:
        self._held = held
        self.dialect = held.plain.dialect

    def run(self, text: str, parameters: Sequence[Any] = ()) -> Any:
        """See Connection.run."""
        return self._held.flush().run(text, parameters)

    def all(self, text: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """See Connection.all."""
        return self._held.flush().all(text, parameters)

    def query(self, query: Any) -> Any:
        """See Connection.query."""
        return self._held.flush().query(query)

    def rows(self, query: Any) -> list[Row]:
        """See Connection.rows."""
        return self._held.flush().rows(query)
