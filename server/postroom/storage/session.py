"""The session: every query of a call, on one transaction."""

from collections.abc import Sequence

from postroom.agent import Agent
from postroom.mail import Mail, MailKind, Piece
from postroom.message import Message
from postroom.records import Answer
from postroom.storage import statements
from postroom.storage.agents import AgentQueries
from postroom.storage.contacts import ContactQueries
from postroom.storage.files import FileQueries
from postroom.storage.mail import MailQueries
from postroom.storage.messages import MessageQueries
from postroom.storage.outbox import OutboxQueries
from postroom.storage.reads import ReadQueries
from postroom.storage.threads import ThreadQueries
from postroom.storage.tokens import TokenQueries


class Session(
    AgentQueries,
    MailQueries,
    ReadQueries,
    TokenQueries,
    MessageQueries,
    ThreadQueries,
    ContactQueries,
    FileQueries,
    OutboxQueries,
):
    """Fulfils postroom.ports.Session."""

    def claim_copy(self, agent: Agent, message: Message, at: int) -> int:
        """See ports.Session.claim_copy."""
        own = message.participant(agent.number)
        if own is not None and own.read_at is not None:
            return own.read_at
        if self.mark_claimed(agent.number, message, at):
            plain = self.count_waiting([agent], now=at, kind=MailKind.PLAIN)
            self.recount_waiting(agent, plain[agent.number])
        return at

    def answer(self, caller: int, method: str, request_id: str) -> Answer | None:
        """See ports.Session.answer."""
        row = self.aside.one(statements.ANSWER, (caller, method, request_id))
        return Answer(bytes(row[0]), bytes(row[1])) if row else None

    def count_capped(self) -> None:
        """See ports.Session.count_capped."""
        self.writing()
        self.aside.run(statements.COUNT_CAPPED)

    def keep_answer(
        self, caller: int, method: str, request_id: str, answer: Answer, at: int
    ) -> None:
        """See ports.Session.keep_answer."""
        self.writing()
        self.aside.run(
            statements.KEEP_ANSWER,
            (caller, method, request_id, answer.digest, answer.response, at),
        )

    def deliver(self, mail: Mail, wire: bytes, *, counted: bool) -> int:
        """See ports.Session.deliver; a session that only reads ends here."""
        del mail, wire, counted
        self.writing()
        return 0

    def claim(self, agent: Agent, pieces: Sequence[Piece], at: int) -> int:
        """See ports.Session.claim; a session that only reads ends here."""
        del agent, pieces, at
        self.writing()
        return 0

    def recount_waiting(self, agent: Agent, waiting: int) -> Agent:
        """See ports.Session.recount_waiting; a session that only reads ends here."""
        del waiting
        self.writing()
        return agent

    def touch(self, agent: Agent, at: int) -> None:
        """See ports.Session.touch."""
        self.idle.append((agent, at))
