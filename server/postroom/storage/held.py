"""The second run of a batch: mailboxes under lock, changed in memory, stored at once.

A send then costs no statement of its own: the batch stores all mail, all counters
and all exchanges with one statement each. Whatever a call asks of the database in
between is asked after what is pending was stored, so nobody can tell.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from postroom.agent import Agent, AgentState
from postroom.mail import Mail, MailKind, Piece
from postroom.mailbox import Mailbox
from postroom.storage import statements
from postroom.storage.agents import agent_of
from postroom.storage.commit import Spoiled
from postroom.storage.database import Connection, Row
from postroom.storage.mail import pair_of
from postroom.storage.session import Session

Pair = tuple[int, int]
_SENDER_AND_RECIPIENT = 2


def pairs_of(wanted: Iterable[Sequence[Agent]]) -> set[Pair]:
    """The exchanges that jobs will ask for, if those that lock two agents send mail."""
    return {pair_of(a[0].number, a[1].number) for a in wanted if len(a) == _SENDER_AND_RECIPIENT}


class Held:
    """What a batch has locked, as it will be when the batch is stored."""

    def __init__(self, connection: Connection, agents: Sequence[Agent], pairs: set[Pair]) -> None:
        self._plain = connection
        self.connection = _AfterFlush(self)
        self._agents = {agent.number: agent for agent in agents}
        self._numbers = {agent.id: agent.number for agent in agents}
        self._exchanges = dict.fromkeys(pairs, 0)
        self._changed_agents: set[int] = set()
        self._changed_pairs: set[Pair] = set()
        self._mail: list[Row] = []
        if pairs:
            rows = connection.all(statements.EXCHANGES, _columns(sorted(pairs)))
            self._exchanges |= {(low, high): mails for low, high, mails in rows}

    def take(self, agents: Sequence[Agent]) -> Sequence[Agent]:
        """Return agents as they are now. Raises Spoiled for one that is not locked."""
        try:
            return [self._agents[agent.number] for agent in agents]
        except KeyError:
            raise Spoiled from None

    def by_id(self, id: str) -> Agent | None:
        """The locked agent with this id."""
        number = self._numbers.get(id)
        return None if number is None else self._agents[number]

    def holds(self, agent: Agent) -> bool:
        """Whether the agent is locked."""
        return agent.number in self._agents

    def change(self, number: int, **counters: int) -> Mailbox:
        """Change a locked agent's counters."""
        agent = self._agents[number]
        mailbox = replace(agent.mailbox, **counters)
        self._agents[number] = replace(agent, mailbox=mailbox)
        self._changed_agents.add(number)
        return mailbox

    def receive(self, mail: Mail) -> int:
        """Count a piece in its mailbox; returns its number there."""
        box = self._agents[mail.recipient].mailbox
        waiting = box.waiting + int(mail.kind is MailKind.PLAIN)
        return self.change(mail.recipient, received=box.received + 1, waiting=waiting).received

    def send(self, sender: int, at: int) -> int:
        """Count a piece among what its sender sent; returns its number there."""
        sent = self._agents[sender].mailbox.sent + 1
        return self.change(sender, sent=sent, last_active_at=at).sent

    def put(self, agent: Agent) -> None:
        """Replace a locked agent by what the database now says."""
        if self.holds(agent):
            self._agents[agent.number] = agent

    def exchanged(self, pair: Pair) -> int | None:
        """The mails of an exchange, None when it was not asked for beforehand."""
        return self._exchanges.get(pair)

    def count(self, pair: Pair, mails: int) -> None:
        """Set the mails of an exchange."""
        self._exchanges[pair] = mails
        self._changed_pairs.add(pair)

    def keep(self, mail: Mail, received: int, sent: int | None, wire: bytes) -> None:
        """Store a piece with the rest of the batch."""
        self._mail.append(
            (
                mail.id,
                mail.recipient,
                received,
                mail.sender,
                sent,
                int(mail.kind),
                mail.created_at,
                mail.expires_at,
                wire,
            )
        )

    def flush(self) -> Connection:
        """Store what is pending, and return the connection to go on with."""
        if self._mail:
            self._store(statements.KEEP_MAILS, self._mail)
            self._mail = []
        if self._changed_agents:
            boxes = ((n, self._agents[n].mailbox) for n in sorted(self._changed_agents))
            rows = [(n, b.received, b.sent, b.waiting, b.last_active_at) for n, b in boxes]
            self._store(statements.SET_MAILBOXES, rows)
            self._changed_agents = set()
        if self._changed_pairs:
            pairs = sorted(self._changed_pairs)
            self._store(statements.SET_EXCHANGES, [(*p, self._exchanges[p]) for p in pairs])
            self._changed_pairs = set()
        return self._plain

    def _store(self, text: str, rows: Sequence[Row]) -> None:
        self._plain.run(text, _columns(rows))


class _AfterFlush(Connection):
    """The batch's connection for everything that is not kept in memory."""

    def __init__(self, held: Held) -> None:
        self._held = held

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


class HeldSession(Session):
    """A session on what a batch holds."""

    def __init__(self, held: Held) -> None:
        super().__init__(held.connection, held)
        self._held = held

    def agent(self, id: str) -> Agent | None:
        """See Session.agent."""
        return self._held.by_id(id) or super().agent(id)

    def exchanged(self, one: Agent, other: Agent) -> int:
        """See Session.exchanged."""
        known = self._held.exchanged(pair_of(one.number, other.number))
        return super().exchanged(one, other) if known is None else known

    def deliver(self, mail: Mail, wire: bytes, *, counted: bool) -> None:
        """See Session.deliver."""
        self.writing()
        self.arrived.add(mail.recipient)
        received = self._held.receive(mail)
        sent = None
        if mail.sender is not None:
            self.touched.add(mail.sender)
            sent = self._held.send(mail.sender, mail.created_at)
            if counted:
                self._count(pair_of(mail.sender, mail.recipient))
        self._held.keep(mail, received, sent, wire)

    def recount_waiting(self, agent: Agent, waiting: int) -> Agent:
        """See Session.recount_waiting."""
        self.writing()
        self._held.change(agent.number, waiting=waiting)
        return self._held.take([agent])[0]

    def claim(self, agent: Agent, pieces: Sequence[Piece], at: int) -> int:
        """See Session.claim."""
        remaining = super().claim(agent, pieces, at)
        self._reload(agent)
        return remaining

    def set_state(self, agent: Agent, state: AgentState) -> Agent:
        """See Session.set_state."""
        changed = super().set_state(agent, state)
        self._held.put(changed)
        return changed

    def touch(self, agent: Agent, at: int) -> None:
        """See Session.touch."""
        if agent.number in self.touched:
            return
        self.touched.add(agent.number)
        if not self._held.holds(agent):
            self.connection.run(statements.TOUCH_UNLOCKED, (at, agent.number, at))
        elif self._held.take([agent])[0].mailbox.last_active_at < at:
            self._held.change(agent.number, last_active_at=at)

    def _count(self, pair: Pair) -> None:
        known = self._held.exchanged(pair)
        if known is None:
            row = self.connection.one(statements.EXCHANGED, pair)
            known = row[0] if row else 0
        self._held.count(pair, known + 1)

    def _reload(self, agent: Agent) -> None:
        row = self.connection.one(statements.AGENT_BY_ID, (agent.id,))
        if row:
            self._held.put(agent_of(row))


def _columns(rows: Sequence[Row]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
