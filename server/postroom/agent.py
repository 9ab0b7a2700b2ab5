"""Agent: somebody with a mailbox, and who is family to whom."""

import re
from enum import IntEnum
from typing import NamedTuple

from postroom.errors import Archived, Forbidden, InvalidRequest, invalid
from postroom.mailbox import Mailbox

ID_PREFIX = "agt_"
OPERATOR = "operator"
ID_PREFIXES = ("agt_", "mail_", "wfl_", "msg_")
RESERVED_NAMES = frozenset({"operator", "postroom", "system"})
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


class AgentState(IntEnum):
    """The numbers are those of agent.v1.AgentState and of the database."""

    RUNNING = 1
    DORMANT = 2
    ARCHIVED = 3


class Agent(NamedTuple):
    """An agent with its mailbox's counters. `number` is the store's own."""

    number: int
    id: str
    name: str
    workflow: int | None
    workflow_id: str
    role: str
    parent: int | None
    parent_id: str | None
    state: AgentState
    program: str
    model: str
    task_description: str
    created_at: int
    # Whether a token must prove the agent, because one was made for it.
    proves: bool
    # The words of contact.ContactPolicy and attachment.AttachmentsPolicy.
    contact_policy: str
    attachments_policy: str
    mailbox: Mailbox

    @property
    def is_operator(self) -> bool:
        """Whether this is the person who runs the server."""
        return self.id == OPERATOR

    @property
    def is_archived(self) -> bool:
        """Whether the agent has ended for good."""
        return self.state is AgentState.ARCHIVED

    @property
    def is_dormant(self) -> bool:
        """Whether nothing runs behind the agent."""
        return self.state is AgentState.DORMANT

    def must_reach(self, other: "Agent") -> None:
        """Let a child write to its parent and that parent's other children only.

        Raises Forbidden (CHILD_SCOPE) for anybody else, the operator included.
        """
        if self.parent is None or self.parent in (other.number, other.parent):
            return
        raise Forbidden(
            "a child agent may mail only its parent and its parent's other children; "
            f"reply to your parent, {self.parent_id}, instead",
            "CHILD_SCOPE",
        )

    def must_accept_mail(self) -> None:
        """Raise Archived (RECIPIENT_ARCHIVED) when the agent has ended for good."""
        if self.is_archived:
            told = f"{self.id} is archived and gets no more mail; ask who has taken over its work"
            raise Archived(self.id, told, "RECIPIENT_ARCHIVED")


def is_id(text: str) -> bool:
    """Tell an id from a name: ids have a prefix that no name may begin with."""
    return text == OPERATOR or text.startswith(ID_PREFIXES)


def check_name(name: str) -> None:
    """Raise InvalidRequest when a new agent may not be called this (mail.md, Names)."""
    if not NAME.fullmatch(name):
        raise invalid(
            "name",
            "must be 1 to 64 ASCII characters: a letter or digit, then letters, digits, "
            "'.', '_' or '-'",
        )
    if name.lower() in RESERVED_NAMES:
        raise _reserved(f"{name!r} is reserved; choose another name")
    if name.lower().startswith(ID_PREFIXES):
        raise _reserved(
            f"must not begin with {name[: name.index('_') + 1]!r}, which ids begin with"
        )


def _reserved(description: str) -> InvalidRequest:
    return invalid("name", description, reason="NAME_RESERVED")
