"""Message: what was written once, for one or more agents of a project (messages.md)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from postroom.attachment import Attachment

ID_PREFIX = "msg_"
MOST_RECIPIENTS = 100
LONGEST_SUBJECT = 160
# Of UTF-8.
LONGEST_BODY_BYTES = 256 * 1024
URGENT = ("high", "urgent")


class Part(IntEnum):
    """What somebody is to a message; the numbers are the database's."""

    SENDER = 0
    TO = 1
    CC = 2
    BCC = 3

    @property
    def word(self) -> str:
        """Such as bcc: the name of the field that a recipient is listed in."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """The sender or one recipient, with what became of a recipient's copy.

    `mail_id` is the recipient's copy and `received_number` its place in the mailbox;
    both are None for the sender.
    """

    agent: int
    agent_id: str
    name: str
    part: Part
    mail_id: str | None = None
    received_number: int | None = None
    read_at: int | None = None
    acknowledged_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message with everybody who takes part in it, in the order that was given."""

    number: int = 0
    id: str
    workflow: int
    project_key: str
    thread_id: str
    reply_to: str | None
    subject: str
    body_md: str
    importance: str
    ack_required: bool
    topic: str
    created_at: int
    participants: tuple[Participant, ...]
    attachments: tuple[Attachment, ...] = ()

    @property
    def sender(self) -> Participant:
        """Who wrote it."""
        return next(self._in(Part.SENDER))

    @property
    def recipients(self) -> Sequence[Participant]:
        """Everybody who has a copy."""
        return [one for one in self.participants if one.part is not Part.SENDER]

    def names(self, part: Part) -> Sequence[str]:
        """The names in to, cc or bcc."""
        return [one.name for one in self._in(part)]

    def participant(self, agent: int) -> Participant | None:
        """The agent's own part, None when it has none."""
        return next((one for one in self.participants if one.agent == agent), None)

    def piece_answered(self, writer: int, reader: int) -> str | None:
        """The mail that a copy for `reader` answers when `writer` answers this message.

        It is one that both had part in; None when there is none.
        """
        mine, theirs = self.participant(writer), self.participant(reader)
        if theirs is not None and theirs.part is Part.SENDER:
            return mine.mail_id if mine else None
        wrote = mine is not None and mine.part is Part.SENDER
        return theirs.mail_id if wrote and theirs else None

    def seen_by(self, agent: int | None) -> "Message":
        """The message as somebody may see it.

        The sender sees every bcc, a bcc recipient only itself, anybody else none.
        """
        own = self.participant(agent) if agent is not None else None
        if own is not None and own.part is Part.SENDER:
            return self
        shown = tuple(one for one in self.participants if one.part is not Part.BCC or one is own)
        return replace(self, participants=shown)

    def _in(self, part: Part) -> Iterator[Participant]:
        return (one for one in self.participants if one.part is part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """The messages of one thread that an agent takes part in, in figures.

    `last` is the number of the newest of them, which threads are listed by.
    """

    id: str
    subject: str
    messages: int
    participants: tuple[str, ...]
    first_at: int
    last_at: int
    last: int
