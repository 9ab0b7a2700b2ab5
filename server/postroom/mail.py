"""Mail: one piece for one recipient."""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

ID_PREFIX = "mail_"
NOTICE_SENDER = "postroom"


class MailKind(IntEnum):
    """The numbers are those of agent.v1.MailKind and of the database."""

    PLAIN = 1
    REVIEW_ACTIVITY = 2
    EXCHANGE_CAPPED = 3
    CONTACT_REQUEST = 4


class MailDirection(IntEnum):
    """Which side of an agent's mail is meant; the numbers are agent.v1's."""

    RECEIVED = 1
    SENT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A piece as it is sent. `sender` is None on a notice, as is its id."""

    id: str
    sender: int | None
    from_agent_id: str | None
    from_name: str
    recipient: int
    to_agent_id: str
    body: str
    reply_to: str | None
    created_at: int
    expires_at: int
    kind: MailKind
    message_id: str | None = None


# A piece as it is kept: its place in the list that was asked for, the serialized
# agent.v1.Mail without claimed_at, when it was claimed, and the checksum of the
# serialized form. A bare row of the database, because a page has many.
Piece = tuple[int, bytes, int | None, int]


class Parties(NamedTuple):
    """Between whom a piece of mail went; no sender on a notice."""

    sender: int | None
    recipient: int
