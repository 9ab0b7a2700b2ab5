"""Contacts in the database."""

from collections.abc import Sequence

from postroom.contact import Contact, ContactStatus
from postroom.storage import message_statements as statements
from postroom.storage.database import Row
from postroom.storage.transaction import Transaction


class ContactQueries(Transaction):
    """The part of a session that deals with contacts."""

    def contact(self, requester: int, target: int) -> Contact | None:
        """See ContactQuestions.contact."""
        text = f"{statements.CONTACT} WHERE c.requester = ? AND c.target = ?"
        row = self.aside.one(text, (requester, target))
        return _contact(row) if row else None

    def contacts(self, agent: int, *, after: int, limit: int) -> Sequence[tuple[int, Contact]]:
        """See ContactQuestions.contacts."""
        where = "(c.requester = ? OR c.target = ?) AND c.number > ?"
        text = f"{statements.CONTACT} WHERE {where} ORDER BY c.number LIMIT ?"
        rows = self.connection.all(text, (agent, agent, after, limit))
        return [(row[0], _contact(row)) for row in rows]

    def approved(self, sender: int, recipients: Sequence[int], now: int) -> frozenset[int]:
        """See ContactQuestions.approved."""
        if not recipients:
            return frozenset()
        text = statements.APPROVED.format(holes=", ".join("?" * len(recipients)))
        parameters = now, sender, *recipients, sender, *recipients
        rows = self.aside.all(text, parameters)
        return frozenset(number for row in rows for number in row if number != sender)

    def keep_contact(self, contact: Contact) -> None:
        """See ContactQuestions.keep_contact."""
        self.writing()
        self.connection.run(
            statements.KEEP_CONTACT,
            (
                contact.requester,
                contact.target,
                str(contact.status),
                contact.reason,
                contact.updated_at,
                contact.expires_at,
                contact.notice,
                contact.noticed_until,
            ),
        )

    def withdraw(self, mail_id: str, at: int) -> None:
        """See ContactQuestions.withdraw."""
        self.writing()
        self.connection.run(statements.WITHDRAW, (at, mail_id, at))


def _contact(row: Row) -> Contact:
    return Contact(
        requester=row[1],
        requester_name=row[2],
        target=row[3],
        target_name=row[4],
        status=ContactStatus(row[5]),
        reason=row[6],
        updated_at=row[7],
        expires_at=row[8],
        notice=row[9],
        noticed_until=row[10],
    )
