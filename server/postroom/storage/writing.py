"""The session of a call that writes."""

from collections.abc import Mapping, Sequence

from postroom.agent import Agent, AgentState
from postroom.mail import Mail, MailKind, Piece
from postroom.records import Description, MailboxRead
from postroom.storage.held import Held
from postroom.storage.mail import pair_of
from postroom.storage.session import Session
from postroom.token import Token


class WritingSession(Session):
    """A session on what a batch holds."""

    def __init__(self, held: Held) -> None:
        super().__init__(held.connection, held)
        self.aside = held.plain
        self._held = held

    def agent(self, id: str) -> Agent | None:
        """See ports.Session.agent."""
        return self._held.by_id(id) or super().agent(id)

    def exchanged(self, one: Agent, other: Agent) -> int:
        """See ports.Session.exchanged."""
        return self._held.exchanged(pair_of(one.number, other.number))

    def exchanges(self, one: Agent, others: Sequence[Agent]) -> Mapping[int, int]:
        """See ports.Session.exchanges."""
        return self._held.exchanges(one.number, [other.number for other in others])

    def deliver(self, mail: Mail, wire: bytes, *, counted: bool) -> int:
        """See ports.Session.deliver."""
        self.writing()
        self.arrived.add(mail.recipient)
        self.delivered += 1
        received = self._held.receive(mail)
        sent = None
        if mail.sender is not None:
            self.touched.add(mail.sender)
            sent = self._held.send(mail.sender, mail.created_at)
            if counted:
                self._held.count(mail.sender, mail.recipient)
        self._held.keep(mail, received, sent, wire)
        return received

    def reads(self, owner: int, *, before: int | None, limit: int) -> Sequence[MailboxRead]:
        """See ports.Session.reads."""
        self._held.store_reads()
        return super().reads(owner, before=before, limit=limit)

    def record_read(self, read: MailboxRead) -> None:
        """See ports.Session.record_read."""
        self.writing()
        self._held.keep_read(read)

    def recount_waiting(self, agent: Agent, waiting: int) -> Agent:
        """See ports.Session.recount_waiting."""
        self.writing()
        self._held.change(agent.number, waiting=waiting)
        return self._held.take([agent])[0]

    def claim(self, agent: Agent, pieces: Sequence[Piece], at: int) -> int:
        """See ports.Session.claim."""
        self.writing()
        through = pieces[-1][0]
        left = self.mark_taken(agent, through, at)
        self._held.change(agent.number, waiting=left[MailKind.PLAIN], claimed_through=through)
        return sum(left.values())

    def describe(self, agent: Agent, told: Description) -> Agent:
        """See ports.Session.describe."""
        super().describe(agent, told)
        self._held.reload(agent.id)
        return self._held.take([agent])[0]

    def set_state(self, agent: Agent, state: AgentState) -> Agent:
        """See ports.Session.set_state."""
        changed = super().set_state(agent, state)
        self._held.reload(agent.id)
        return changed

    def add_token(self, token: Token) -> None:
        """See ports.Session.add_token."""
        super().add_token(token)
        self._held.reload(token.agent_id)

    def use_token(self, token: Token, at: int) -> None:
        """See ports.Session.use_token."""
        self.store_use(token, at)

    def touch(self, agent: Agent, at: int) -> None:
        """See ports.Session.touch."""
        if agent.number in self.touched:
            return
        self.touched.add(agent.number)
        if not self._held.holds(agent):
            self.aside.run(self.aside.dialect.touch, (at, agent.number, at))
        elif self._held.take([agent])[0].mailbox.last_active_at < at:
            self._held.change(agent.number, last_active_at=at)
