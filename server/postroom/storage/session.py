"""The session: every query of a call, on one transaction."""

from postroom.agent import Agent
from postroom.mail import Mail
from postroom.records import Answer
from postroom.storage import statements
from postroom.storage.agents import AgentQueries
from postroom.storage.mail import MailQueries
from postroom.storage.reads import ReadQueries
from postroom.storage.tokens import TokenQueries


class Session(AgentQueries, MailQueries, ReadQueries, TokenQueries):
    """Fulfils postroom.ports.Session."""

    def answer(self, caller: int, method: str, request_id: str) -> Answer | None:
        """See ports.Session.answer."""
        row = self.aside.one(statements.ANSWER, (caller, method, request_id))
        return Answer(bytes(row[0]), bytes(row[1])) if row else None

    def keep_answer(
        self, caller: int, method: str, request_id: str, answer: Answer, at: int
    ) -> None:
        """See ports.Session.keep_answer."""
        self.writing()
        self.aside.run(
            statements.KEEP_ANSWER,
            (caller, method, request_id, answer.digest, answer.response, at),
        )

    def deliver(self, mail: Mail, wire: bytes, *, counted: bool) -> None:
        """See ports.Session.deliver; a session that only reads ends here."""
        del mail, wire, counted
        self.writing()

    def recount_waiting(self, agent: Agent, waiting: int) -> Agent:
        """See ports.Session.recount_waiting; a session that only reads ends here."""
        del waiting
        self.writing()
        return agent

    def touch(self, agent: Agent, at: int) -> None:
        """See ports.Session.touch."""
        self.idle.append((agent, at))
