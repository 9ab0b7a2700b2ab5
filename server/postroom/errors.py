"""Every reason for which the post room refuses a call.

A refusal is chosen by its class, never by its text. Each carries a gRPC code, a
reason that programs match on, and facts; surfaces translate it once.

    Refusal
    ├── InvalidRequest        one or more fields break a rule
    │   ├── NameAmbiguous     several live agents hold the name
    │   └── CursorInvalid     not a cursor of this list
    ├── CallerUnknown         the caller is nobody, or archived
    ├── NotFound              no agent, mail, message or workflow answers to it
    │   └── AgentsUnknown     nobody in the project has these names
    ├── AlreadyExists         the name or the request id is taken
    ├── Forbidden             known, but not allowed
    ├── Archived              the agent has ended for good
    ├── QuotaSpent            a limit is reached
    ├── StoreRefusal          the database cannot serve the call now
    └── Internal              something unexpected; the log knows more
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

DOMAIN = "postroom"
# A refusal travels in headers, of which gRPC clients take 8 KiB: its text in two forms, in one
# of which a letter beyond ASCII has up to twelve bytes.
_LONGEST_QUOTE = 100
_LONGEST_LIST = 1_200
_MOST_LISTED = 15


class Code(IntEnum):
    """The gRPC status codes in use; names and numbers are gRPC's."""

    CANCELLED = 1
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


@dataclass(frozen=True, slots=True)
class Violation:
    """A field, by its path in the request, and what is wrong with it."""

    field: str
    description: str


@dataclass(frozen=True, slots=True)
class Resource:
    """A thing that the refusal is about, such as an agent."""

    type: str
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Quota:
    """A limit that is reached: whose, and what it allows."""

    subject: str
    description: str


@dataclass(eq=False)
class Refusal(Exception):
    """An expected no. The message is for the caller and says what to do instead."""

    message: str
    code: Code
    reason: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    violations: tuple[Violation, ...] = ()
    resources: tuple[Resource, ...] = ()
    quota: Quota | None = None
    retry_after: float | None = None
    # Whether what the operation wrote before it stays: a request for contact, a record.
    keeps_writes: bool = False

    def __str__(self) -> str:
        return self.message


def quoted(text: str) -> str:
    """A caller's text inside a message, cut when it is long."""
    return repr(_cut(text))


def argument(text: str) -> str:
    """A text to be given back as an argument: in JSON's quotes, and whole unless very long."""
    whole = text if 2 * _room(text) <= _LONGEST_LIST else _cut(text)
    return json.dumps(whole, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"


def joined(texts: Sequence[str], separator: str = ", ", most: int | None = None) -> str:
    """Texts in a row: as many as a refusal has room for, but one at least, and the count left."""
    shown = texts[: _fitting(texts[:most])]
    more = len(texts) - len(shown)
    text = separator.join(shown)
    return f"{text}{separator}and {more} more" if more else text


def _fitting(texts: Sequence[str]) -> int:
    room = _LONGEST_LIST
    for count, text in enumerate(texts):
        room -= _room(text)
        if room < 0 and count:
            return count
    return len(texts)


def _room(text: str) -> int:
    return sum(1 if letter.isascii() else 3 * len(letter.encode()) for letter in text)


class InvalidRequest(Refusal):
    """Fields of the request break a rule; each is named, of very many the first."""

    def __init__(self, *violations: Violation, reason: str = "INVALID_FIELD") -> None:
        text = joined([f"{v.field}: {v.description}" for v in violations], "; ", _MOST_LISTED)
        shown = violations[:_MOST_LISTED]
        super().__init__(text, Code.INVALID_ARGUMENT, reason, violations=shown)


def invalid(field_name: str, description: str, reason: str = "INVALID_FIELD") -> InvalidRequest:
    """Refuse one field."""
    return InvalidRequest(Violation(field_name, description), reason=reason)


class NameAmbiguous(InvalidRequest):
    """Several live agents hold the name; each is listed, of very many the first."""

    def __init__(self, name: str, holders: tuple[Resource, ...]) -> None:
        listed = joined([f"{h.name} ({h.description})" for h in holders], most=_MOST_LISTED)
        told = f"{len(holders)} live agents are called {quoted(name)}; use an id: {listed}"
        super().__init__(Violation("to", told), reason="NAME_AMBIGUOUS")
        self.resources = holders[:_MOST_LISTED]


class CursorInvalid(InvalidRequest):
    """Not a cursor that the post room gave this caller for this list."""

    def __init__(self, field: str) -> None:
        super().__init__(
            Violation(
                field,
                "is no cursor of this list for you; leave it out to start at the beginning",
            ),
            reason="CURSOR_INVALID",
        )


class CallerUnknown(Refusal):
    """Nobody is known by the identity that the caller gave."""

    def __init__(self, message: str, reason: str = "CALLER_UNKNOWN") -> None:
        super().__init__(message, Code.UNAUTHENTICATED, reason)


class NotFound(Refusal):
    """Nothing answers to the id or the name."""

    def __init__(self, kind: str, name: str, message: str) -> None:
        super().__init__(
            message,
            Code.NOT_FOUND,
            f"{kind.upper()}_NOT_FOUND",
            resources=(Resource(kind, _cut(name), message),),
        )


class AgentsUnknown(NotFound):
    """Nobody in a project has these names; each is listed, of very many the first."""

    def __init__(self, names: Sequence[str]) -> None:
        shown = [quoted(name) for name in names]
        listed = joined(shown, most=_MOST_LISTED)
        told = f"the project has no agent called {listed}; register it, or mend the spelling"
        super().__init__("agent", names[0], f"{told}. Nobody got the message")
        said = "no agent of the project is called that"
        fitting = names[: _fitting(shown[:_MOST_LISTED])]
        self.resources = tuple(Resource("agent", _cut(name), said) for name in fitting)


class AlreadyExists(Refusal):
    """What was to be made is there already."""

    def __init__(self, message: str, reason: str, *resources: Resource) -> None:
        super().__init__(message, Code.ALREADY_EXISTS, reason, resources=resources)


class Forbidden(Refusal):
    """The caller is known and may not do this."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message, Code.PERMISSION_DENIED, reason)


class Archived(Refusal):
    """The agent has ended for good."""

    def __init__(self, id: str, message: str, reason: str = "AGENT_ARCHIVED") -> None:
        super().__init__(
            message,
            Code.FAILED_PRECONDITION,
            reason,
            resources=(Resource("agent", id, message),),
        )


class RequestTooLarge(Refusal):
    """The request has more bytes than its method takes; how many, where that is known."""

    def __init__(self, size: int | None, most: int) -> None:
        has = (
            f"more than {most:,} bytes" if size is None else f"{size:,} bytes and may have {most:,}"
        )
        told = f"the request has {has}; send less at once"
        super().__init__(
            told, Code.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE", metadata={"limit": str(most)}
        )


class QuotaSpent(Refusal):
    """A limit is reached. Never retried by itself, so no retry time is given."""

    def __init__(self, message: str, reason: str, subject: str, limit: int) -> None:
        super().__init__(
            message,
            Code.RESOURCE_EXHAUSTED,
            reason,
            metadata={"limit": str(limit)},
            quota=Quota(subject, message),
        )


class StoreRefusal(Refusal):
    """The database cannot serve the call now; nothing was written unless said."""


class Internal(Refusal):
    """Something unexpected went wrong; the log has it under the number."""

    def __init__(self, number: str) -> None:
        super().__init__(f"internal error, id {number}", Code.INTERNAL, "INTERNAL")
        self.number = number


def stopping() -> StoreRefusal:
    """The server ends; nothing was done."""
    return StoreRefusal("the server is stopping; call again", Code.UNAVAILABLE, "STOPPING")


class Expired(Refusal):
    """The caller's deadline passed before the work began; nothing was written."""

    def __init__(self) -> None:
        super().__init__(
            "the deadline passed before the call was begun; nothing was done",
            Code.DEADLINE_EXCEEDED,
            "DEADLINE_EXCEEDED",
        )
