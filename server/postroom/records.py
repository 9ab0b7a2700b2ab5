"""What is handed to the store, and what it hands back, besides the nouns."""

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import NamedTuple

from postroom.agent import AgentState
from postroom.attachment import AttachmentsPolicy
from postroom.contact import ContactPolicy
from postroom.mail import MailDirection


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAgent:
    """An agent to be stored."""

    id: str
    name: str
    workflow: int
    role: str
    parent: int | None
    state: AgentState
    program: str
    model: str
    task_description: str
    created_at: int
    contact_policy: str = ContactPolicy.AUTO
    attachments_policy: str = AttachmentsPolicy.AUTO


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What is to be changed about an agent; None leaves it as it is."""

    role: str | None = None
    program: str | None = None
    model: str | None = None
    task_description: str | None = None
    contact_policy: str | None = None
    attachments_policy: str | None = None

    def given(self) -> dict[str, str]:
        """The changes by name."""
        all_of_it = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in all_of_it.items() if value is not None}


class Proof(IntEnum):
    """How a caller showed who it is; the numbers are agent.v1.ReaderProof's."""

    # In records that are older than this column.
    UNKNOWN = 0
    NAMED = 1
    TOKEN = 2
    CERTIFICATE = 3
    # Named nobody where the server trusts its callers, and so was the operator.
    OPERATOR = 4


class ReadEvent(IntEnum):
    """What a record of a foreign read tells; the numbers are agent.v1.MailboxReadEvent's."""

    LOOKED = 1
    WATCH_OPENED = 2
    WATCH_CLOSED = 3
    REFUSED = 4


class Shown(NamedTuple):
    """The mail that a reader was shown: how much, and the ids it began and ended with."""

    mails: int | None = None
    first_mail_id: str | None = None
    last_mail_id: str | None = None


NOT_KNOWN, NOTHING = Shown(), Shown(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxRead:
    """The record of a look into somebody else's mailbox, or of an attempt.

    `direction` is None for an attempt that is about neither side of a mailbox; `reason`
    is that of the refusal, '' for what was allowed. `attempts` is how many equal attempts
    the record stands for, itself included.
    """

    number: int = 0
    id: str
    reader: int
    reader_id: str
    owner: int
    owner_id: str
    read_at: int
    method: str
    direction: MailDirection | None
    event: ReadEvent = ReadEvent.LOOKED
    reason: str = ""
    attempts: int = 1
    proof: Proof = Proof.UNKNOWN
    key_id: str = ""
    surface: str = ""
    peer: str = ""
    request_id: str = ""
    shown: Shown = NOT_KNOWN


@dataclass(frozen=True, slots=True)
class Answer:
    """A stored response: the digest of its request, and its wire form."""

    digest: bytes
    response: bytes


class Totals(NamedTuple):
    """What a database holds, as its counters tell.

    `waiting` is plain mail that waits in all mailboxes; what has expired is in it until
    its mailbox is looked at. `capped` is how many pairs have ever spent their exchange,
    and `outbox` is what the archive has still to take.
    """

    waiting: int
    capped: int
    outbox: int
