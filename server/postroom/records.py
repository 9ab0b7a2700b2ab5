"""What is handed to the store, and what it hands back, besides the nouns."""

from dataclasses import dataclass
from typing import NamedTuple

from postroom.agent import AgentState
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxRead:
    """The record of a look into somebody else's mailbox."""

    number: int = 0
    id: str
    reader: int
    reader_id: str
    owner: int
    owner_id: str
    read_at: int
    method: str
    direction: MailDirection


@dataclass(frozen=True, slots=True)
class Answer:
    """A stored response: the digest of its request, and its wire form."""

    digest: bytes
    response: bytes


class Totals(NamedTuple):
    """What a database holds, as its counters tell.

    `waiting` is plain mail that waits in all mailboxes; what has expired is in it until
    its mailbox is looked at. `capped` is how many pairs have ever spent their exchange.
    """

    waiting: int
    capped: int
