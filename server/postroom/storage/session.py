"""The session: every query of a call, on one transaction."""

from collections.abc import Sequence

from postroom.agent import Agent
from postroom.mail import Mail, MailDirection, MailKind
from postroom.message import Message
from postroom.records import Answer, MailboxRead
from postroom.storage import statements
from postroom.storage.agents import AgentQueries
from postroom.storage.contacts import ContactQueries
from postroom.storage.database import Row
from postroom.storage.files import FileQueries
from postroom.storage.mail import MailQueries
from postroom.storage.messages import MessageQueries
from postroom.storage.models import AgentRow, MailboxReadRow
from postroom.storage.outbox import OutboxQueries
from postroom.storage.threads import ThreadQueries
from postroom.storage.tokens import TokenQueries


class Session(
    AgentQueries,
    MailQueries,
    TokenQueries,
    MessageQueries,
    ThreadQueries,
    ContactQueries,
    FileQueries,
    OutboxQueries,
):
    """Fulfils postroom.ports.Session."""

    def reads(self, owner: int, *, before: int | None, limit: int) -> Sequence[MailboxRead]:
        """See ports.Session.reads."""
        reader, owned = AgentRow.alias(), AgentRow.alias()
        query = (
            MailboxReadRow.select(
                MailboxReadRow.number,
                MailboxReadRow.id,
                MailboxReadRow.reader,
                reader.id,
                MailboxReadRow.owner,
                owned.id,
                MailboxReadRow.read_at,
                MailboxReadRow.method,
                MailboxReadRow.direction,
            )
            .join(reader, on=reader.number == MailboxReadRow.reader)
            .switch(MailboxReadRow)
            .join(owned, on=owned.number == MailboxReadRow.owner)
            .where(MailboxReadRow.owner == owner)
        )
        if before is not None:
            query = query.where(MailboxReadRow.number < before)
        newest_first = query.order_by(MailboxReadRow.number.desc()).limit(limit)
        return [_read_of(row) for row in self.connection.rows(newest_first)]

    def record_read(self, read: MailboxRead) -> None:
        """See ports.Session.record_read."""
        self.writing()
        self.connection.query(
            MailboxReadRow.insert(
                id=read.id,
                reader=read.reader,
                owner=read.owner,
                read_at=read.read_at,
                method=read.method,
                direction=read.direction,
            )
        )

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

    def recount_waiting(self, agent: Agent, waiting: int) -> Agent:
        """See ports.Session.recount_waiting; a session that only reads ends here."""
        del waiting
        self.writing()
        return agent

    def touch(self, agent: Agent, at: int) -> None:
        """See ports.Session.touch."""
        self.idle.append((agent, at))


def _read_of(row: Row) -> MailboxRead:
    return MailboxRead(
        number=row[0],
        id=row[1],
        reader=row[2],
        reader_id=row[3],
        owner=row[4],
        owner_id=row[5],
        read_at=row[6],
        method=row[7],
        direction=MailDirection(row[8]),
    )
