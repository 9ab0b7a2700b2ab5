"""Messages in the database: stored once, found by whoever takes part in them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

from postroom.attachment import Attachment, Mode
from postroom.message import URGENT, Message, Part, Participant
from postroom.message_ports import Inbox
from postroom.storage import message_statements as statements
from postroom.storage.database import Row
from postroom.storage.failures import StoreFailure
from postroom.storage.mail import NO_BOUND
from postroom.storage.message_models import AttachmentRow
from postroom.storage.searching import add_words, match
from postroom.storage.transaction import Transaction
from postroom.words import Term


class MessageQueries(Transaction):
    """The part of a session that deals with messages."""

    def message(self, id: str) -> Message | None:
        """See MessageQuestions.message."""
        rows = self.connection.all(f"{statements.MESSAGE} WHERE m.id = ?", (id,))
        found = self._whole(rows, None)
        return found[0] if found else None

    def messages_of(self, workflow: int, *, after: int, limit: int) -> Sequence[Message]:
        """See OutboxQuestions.messages_of."""
        rows = self.connection.all(statements.OF_PROJECT, (workflow, after, limit))
        return self._whole(rows, None)

    def inbox(
        self, agent: int, wanted: Inbox, *, before: int | None, limit: int, now: int
    ) -> Sequence[Message]:
        """See MessageQuestions.inbox."""
        text, parameters = statements.INBOX, [agent, _bound(before), now]
        for condition, given in _filters(wanted):
            text += f" AND {condition}"
            parameters += given
        text += " ORDER BY p.received_number DESC LIMIT ?"
        return self._whole(self.connection.all(text, [*parameters, limit]), agent)

    def topic(
        self, agent: int, workflow: int, topic: str, *, before: int | None, limit: int
    ) -> Sequence[Message]:
        """See MessageQuestions.topic."""
        parameters = agent, workflow, topic, _bound(before), limit
        return self._whole(self.connection.all(statements.OF_TOPIC, parameters), agent)

    def thread(
        self, agent: int | None, workflow: int, thread_id: str, *, before: int | None, limit: int
    ) -> Sequence[Message]:
        """See MessageQuestions.thread."""
        place = workflow, thread_id, _bound(before), limit
        if agent is None:
            return self._whole(self.connection.all(statements.IN_THREAD, place), None)
        return self._whole(self.connection.all(statements.OF_THREAD, (agent, *place)), agent)

    def found(
        self, agent: int, workflow: int, terms: Sequence[Term], *, before: int | None, limit: int
    ) -> Sequence[Message]:
        """See MessageQuestions.found."""
        text, asked = match(self.connection.dialect, agent, terms)
        rows = self.connection.all(text, (*asked, _bound(before), limit))
        if not rows:
            return []
        numbers = [row[0] for row in rows]
        text = statements.FOUND.format(holes=_holes(numbers))
        return self._whole(self.connection.all(text, (*numbers, workflow)), agent)

    def writers_to(self, agent: int, others: Sequence[int]) -> frozenset[int]:
        """See MessageQuestions.writers_to."""
        if not others:
            return frozenset()
        text = statements.WRITERS_TO.format(holes=_holes(others))
        rows = self.connection.all(text, (*others, agent, agent, agent, agent))
        return frozenset(number for (number,) in rows)

    def add_message(self, message: Message) -> None:
        """See MessageQuestions.add_message."""
        self.writing()
        # In a batch the copies may still have to be stored; no row here needs them to be there.
        ((number,),) = self.aside.all(statements.ADD_MESSAGE, _row(message))
        people, store = message.participants, self.aside.store
        rows = [_of_participant(number, i, one) for i, one in enumerate(people)]
        store(statements.ADD_PARTICIPANTS, rows)
        thread = message.workflow, message.thread_id, 1, number, number
        store(statements.ADD_TO_THREAD, [(one.agent, *thread) for one in people])
        pairs = [(message.sender.agent, one.agent) for one in message.recipients]
        store(statements.WRITE_TO, pairs)
        add_words(self.aside, number, message)
        self._attach(number, message)

    def _attach(self, number: int, message: Message) -> None:
        if not message.attachments:
            return
        rows = [_of_attachment(number, i, one) for i, one in enumerate(message.attachments)]
        self.aside.query(AttachmentRow.insert_many(rows))

    def mark_claimed(self, agent: int, message: Message, at: int) -> bool:
        """Claim an agent's copy that nobody has claimed; False when none waits any more."""
        own = message.participant(agent)
        assert own is not None
        self.writing()
        if self.connection.run(statements.CLAIM_COPY, (at, own.mail_id, at)).rowcount:
            return True
        self.connection.run(statements.MARK_READ, (at, message.number, agent))
        return False

    def acknowledge(self, agent: int, message: Message, at: int) -> int:
        """See MessageQuestions.acknowledge."""
        own = message.participant(agent)
        assert own is not None
        if own.acknowledged_at is not None:
            return own.acknowledged_at
        self.writing()
        self.connection.run(statements.ACKNOWLEDGE, (at, message.number, agent))
        return at

    def _whole(self, rows: Sequence[Row], viewer: int | None) -> Sequence[Message]:
        """Messages with everybody in them; what became of copies only for one viewer."""
        if not rows:
            return []
        numbers = [row[0] for row in rows]
        people = self._participants(numbers, viewer)
        files = self._attachments(numbers)
        return [_message(row, people[row[0]], files[row[0]]) for row in rows]

    def _participants(
        self, numbers: Sequence[int], viewer: int | None
    ) -> Mapping[int, list[Participant]]:
        own = "" if viewer is None else "AND p.agent = ?"
        text = statements.PARTICIPANTS.format(own=own, holes=_holes(numbers))
        parameters = numbers if viewer is None else [viewer, *numbers]
        found: dict[int, list[Participant]] = defaultdict(list)
        for number, *row in self.connection.all(text, parameters):
            found[number].append(_participant(row))
        return found

    def _attachments(self, numbers: Sequence[int]) -> Mapping[int, list[Attachment]]:
        text = statements.ATTACHMENTS.format(holes=_holes(numbers))
        found: dict[int, list[Attachment]] = defaultdict(list)
        for number, *row in self.connection.all(text, numbers):
            found[number].append(_attachment(row))
        return found


def _bound(before: int | None) -> int:
    return NO_BOUND if before is None else before


def _holes(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))


def _filters(wanted: Inbox) -> Iterable[tuple[str, list[Any]]]:
    if wanted.topic:
        yield "m.topic = ?", [wanted.topic]
    if wanted.urgent_only:
        yield f"m.importance IN ({_holes(URGENT)})", list(URGENT)
    if wanted.unread_only:
        yield "mail.claimed_at IS NULL AND p.read_at IS NULL", []
    if wanted.since is not None:
        yield "m.created_at > ?", [wanted.since]


def checksum(subject: str, body_md: str) -> int:
    """The checksum of what somebody wrote."""
    return crc32(f"{subject}\0{body_md}".encode())


def _row(message: Message) -> Row:
    return (
        message.id,
        message.workflow,
        message.thread_id,
        message.reply_to,
        message.subject,
        message.body_md,
        message.importance,
        int(message.ack_required),
        message.topic,
        message.created_at,
        checksum(message.subject, message.body_md),
    )


def _message(row: Row, people: list[Participant], files: list[Attachment]) -> Message:
    if checksum(row[6], row[7]) != row[12]:
        raise StoreFailure("corrupt")
    return Message(
        number=row[0],
        id=row[1],
        workflow=row[2],
        project_key=row[3],
        thread_id=row[4],
        reply_to=row[5],
        subject=row[6],
        body_md=row[7],
        importance=row[8],
        ack_required=bool(row[9]),
        topic=row[10],
        created_at=row[11],
        participants=tuple(people),
        attachments=tuple(files),
    )


def _participant(row: Sequence[Any]) -> Participant:
    agent, agent_id, name, part, mail_id, received_number, read_at, acknowledged_at = row
    return Participant(
        agent=agent,
        agent_id=agent_id,
        name=name,
        part=Part(part),
        mail_id=mail_id,
        received_number=received_number,
        read_at=read_at,
        acknowledged_at=acknowledged_at,
    )


def _of_participant(number: int, position: int, one: Participant) -> Row:
    copy = one.mail_id, one.received_number, one.read_at, one.acknowledged_at
    return (number, one.agent, int(one.part), position, *copy)


_ATTACHMENT = ("name", "mode", "media_type", "path", "sha256", "bytes", "width", "height", "reason")


def _attachment(row: Sequence[Any]) -> Attachment:
    given = dict(zip(_ATTACHMENT, row, strict=True))
    return Attachment(**given | {"mode": Mode(given["mode"])})


def _of_attachment(number: int, position: int, one: Attachment) -> dict[str, Any]:
    return {"message": number, "position": position} | {
        name: getattr(one, name) for name in _ATTACHMENT
    }
