"""What the archive has still to take, in the database."""

from collections.abc import Sequence
from zlib import crc32

from postroom.mail import Piece
from postroom.message_ports import OutboxEntry
from postroom.storage import message_statements as statements
from postroom.storage.failures import StoreFailure
from postroom.storage.transaction import Transaction


class OutboxQueries(Transaction):
    """The part of a session that deals with the outbox."""

    def outbox(self, *, after: int, limit: int) -> Sequence[OutboxEntry]:
        """See OutboxQuestions.outbox."""
        rows = self.connection.all(statements.OUTBOX, (after, limit))
        return [
            OutboxEntry(number=number, project_id=subject, id=bytes(payload).decode())
            for number, subject, payload in rows
        ]

    def put_out(self, project_id: str, id: str, at: int) -> None:
        """See OutboxQuestions.put_out."""
        self.writing()
        self.aside.run(statements.PUT_OUT, (project_id, id.encode(), at))

    def taken(self, numbers: Sequence[int]) -> None:
        """See OutboxQuestions.taken."""
        if numbers:
            self.writing()
            text = statements.TAKEN.format(holes=", ".join("?" * len(numbers)))
            self.aside.run(text, tuple(numbers))

    def piece(self, mail_id: str) -> Piece | None:
        """See OutboxQuestions.piece."""
        row = self.connection.one(statements.PIECE, (mail_id,))
        if row and crc32(row[1]) != row[3]:
            raise StoreFailure("corrupt")
        return row
