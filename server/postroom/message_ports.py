"""What the store is asked and told of messages, contacts, files and the archive."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from postroom.agent import Agent
from postroom.attachment import StoredFile
from postroom.contact import Contact
from postroom.mail import MailDirection, Piece
from postroom.message import Message, Thread
from postroom.words import Term


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """Which copies of messages to list: all filters that are set must hold."""

    topic: str = ""
    urgent_only: bool = False
    unread_only: bool = False
    since: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxEntry:
    """What the archive has still to take: of which project, and the id of what."""

    number: int
    project_id: str
    id: str


class MessageQuestions(Protocol):
    """The part of a session that deals with messages. Instants are microseconds."""

    def message(self, id: str) -> Message | None:
        """The whole message, with everybody in it."""
        ...

    def inbox(
        self, agent: int, wanted: Inbox, *, before: int | None, limit: int, now: int
    ) -> Sequence[Message]:
        """Messages of which the agent holds an unexpired copy, newest copy first."""
        ...

    def topic(
        self, agent: int, workflow: int, topic: str, *, before: int | None, limit: int
    ) -> Sequence[Message]:
        """Messages of a topic that the agent takes part in, newest first."""
        ...

    def thread(
        self, agent: int | None, workflow: int, thread_id: str, *, before: int | None, limit: int
    ) -> Sequence[Message]:
        """Messages of a thread that the agent, or anybody, takes part in, newest first."""
        ...

    def found(
        self, agent: int, workflow: int, terms: Sequence[Term], *, before: int | None, limit: int
    ) -> Sequence[Message]:
        """Messages with all terms that the agent takes part in, newest first."""
        ...

    def threads(
        self, agent: int, workflow: int, *, before: int | None, limit: int
    ) -> Sequence[Thread]:
        """The threads that the agent takes part in, the last written to first."""
        ...

    def mail_for_others(
        self, agent: int, direction: MailDirection, *, before: int | None, limit: int, now: int
    ) -> Sequence[Piece]:
        """What Session.mail returns but for copies of hidden recipients, who are nobody else's
        to know of.
        """
        ...

    def arrivals_for_others(
        self, agent: int, *, after: int, limit: int, now: int
    ) -> Sequence[Piece]:
        """What Session.arrivals returns but for those copies."""
        ...

    def writers_to(self, agent: int, others: Sequence[int]) -> frozenset[int]:
        """Those of the others that have sent the agent mail or a message."""
        ...

    def add_message(self, message: Message) -> None:
        """Store a message and what it can be found by; its mail is delivered apart."""
        ...

    def claim_copy(self, agent: Agent, message: Message, at: int) -> int:
        """Claim a locked agent's copy unless it was; returns when it was read."""
        ...

    def acknowledge(self, agent: int, message: Message, at: int) -> int:
        """Acknowledge a message, if that was not done; returns when it was."""
        ...


class ContactQuestions(Protocol):
    """The part of a session that deals with contacts."""

    def contact(self, requester: int, target: int) -> Contact | None:
        """The request of one agent to the other, whatever became of it."""
        ...

    def contacts(self, agent: int, *, after: int, limit: int) -> Sequence[tuple[int, Contact]]:
        """Numbered requests that the agent made or got, oldest first, above `after`."""
        ...

    def approved(self, sender: int, recipients: Sequence[int], now: int) -> frozenset[int]:
        """Those of the recipients that are in contact with the sender at this instant."""
        ...

    def keep_contact(self, contact: Contact) -> None:
        """Store a request, or what became of it; a pair and direction has one."""
        ...

    def withdraw(self, mail_id: str, at: int) -> None:
        """Offer a notice no longer, because what it asks for is settled."""
        ...


class FileQuestions(Protocol):
    """The part of a session that deals with the content of attachments."""

    def file(self, workflow: int, sha256: str) -> StoredFile | None:
        """A stored file of a project."""
        ...

    def may_see_file(self, agent: int, workflow: int, sha256: str) -> bool:
        """Whether the agent takes part in a message that carries the file."""
        ...

    def file_sender(self, workflow: int, sha256: str) -> str | None:
        """The id of an agent that sent the file, None when no message carries it."""
        ...

    def keep_file(self, workflow: int, file: StoredFile, at: int) -> None:
        """Store a file, unless the project has it."""
        ...

    def sent_bytes(self, agent: int, since: int) -> int:
        """The bytes of new attachments that the agent has sent since an instant."""
        ...

    def count_upload(self, agent: int, size: int, at: int) -> None:
        """Count bytes of new attachments that the agent sends."""
        ...


class OutboxQuestions(Protocol):
    """The part of a session that deals with what the archive has still to take."""

    def outbox(self, *, after: int, limit: int) -> Sequence[OutboxEntry]:
        """Entries by number from `after` on."""
        ...

    def put_out(self, project_id: str, id: str, at: int) -> None:
        """Leave a message, or a mail, for the archive."""
        ...

    def taken(self, numbers: Sequence[int]) -> None:
        """Forget entries that the archive has taken."""
        ...

    def piece(self, mail_id: str) -> Piece | None:
        """The mail with this id as it is kept, expired or not."""
        ...

    def messages_of(self, workflow: int, *, after: int, limit: int) -> Sequence[Message]:
        """All messages of a project by number from `after` on, with everybody in them."""
        ...


class ProjectFiles(Protocol):
    """Where the files of projects lie on the server's machine."""

    def place(self, project_id: str) -> Path:
        """The folder of a project's files, which may not be there."""
        ...

    def folder(self, project_id: str) -> Path:
        """The same, made for this user alone if it is not there. Raises StoreRefusal."""
        ...


class MessageSession(MessageQuestions, ContactQuestions, FileQuestions, OutboxQuestions, Protocol):
    """All of it."""
