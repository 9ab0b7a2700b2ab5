"""The header line of a letter, mail or message: who wrote it, to whom, what sort, how much."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from postroom.agent import OPERATOR
from postroom.surfaces.tools.spelling import CAMEL, Spelling
from postroom.surfaces.tools.visible import value

_BODIES: Final = ("body", "body_md")
_SENDERS: Final = ("from_agent_id", "from_name", "from")
_FIRST: Final = ("id", "kind", *_BODIES, *_SENDERS)


@cache
def body_of(message: Descriptor) -> FieldDescriptor | None:
    """The field with the text that somebody wrote, None where a message is no letter.

    A letter has a text and a sender.
    """
    fields = message.fields_by_name
    if not any(name in fields for name in _SENDERS):
        return None
    return next((fields[name] for name in _BODIES if name in fields), None)


@cache
def holds_letters(message: Descriptor) -> bool:
    """Whether a message is a letter or has one somewhere inside."""
    seen: set[str] = set()
    waiting = [message]
    while waiting:
        one = waiting.pop()
        if one.full_name in seen:
            continue
        seen.add(one.full_name)
        if body_of(one) is not None:
            return True
        waiting += [field.message_type for field in one.fields if field.message_type is not None]
    return False


def header(message: Descriptor, letter: Mapping[str, Any], spelling: Spelling = CAMEL) -> str:
    """Say everything about a letter but its text and the messages in it."""
    return " · ".join(_parts(message, letter, spelling))


def _parts(message: Descriptor, letter: Mapping[str, Any], spelling: Spelling) -> Iterator[str]:
    given = {
        field.name: letter.get(spelling.of(field))
        for field in message.fields
        if field.message_type is None
    }
    yield f"{value(str(given.get('id') or ''))} from {_sender(given)}"
    if kind := given.get("kind"):
        yield f"kind {_kind(kind)}"
    body = body_of(message)
    if text := given.get(body.name if body else ""):
        yield f"{len(text):,} characters"
    for name in sorted(given.keys() - set(_FIRST), key=_place):
        if told := _told(given[name]):
            yield f"{_LABELS.get(name, name)} {told}"


def _sender(given: Mapping[str, Any]) -> str:
    if "from" in given:
        return f"agent:{value(str(given['from'] or ''))}"
    sender = given.get("from_agent_id")
    if not sender:
        return "the post room itself (a notice)"
    if sender == OPERATOR:
        return "the person (operator)"
    return f"agent:{value(str(sender))} called {value(str(given.get('from_name') or ''))}"


def _kind(name: str) -> str:
    return value(str(name).removeprefix("MAIL_KIND_").lower())


def _told(given: Any) -> str:
    """A value as text, '' for one that says nothing."""
    if isinstance(given, list):
        return ", ".join(value(str(one)) for one in given)
    if isinstance(given, bool):
        return "yes" if given else ""
    return value(str(given)) if given else ""


def _place(name: str) -> tuple[int, str]:
    names = list(_LABELS)
    return (names.index(name) if name in _LABELS else len(names), name)


_LABELS: Final = {
    "subject": "subject",
    "importance": "importance",
    "ack_required": "to be acknowledged",
    "to_agent_id": "to",
    "to": "to",
    "cc": "cc",
    "bcc": "bcc",
    "created_at": "sent",
    "reply_to": "answers",
    "thread_id": "thread",
    "topic": "topic",
    "claimed_at": "claimed",
    "read_at": "read",
    "acknowledged_at": "acknowledged",
    "expires_at": "expires",
    "message_id": "copy of message",
    "mail_id": "mail",
    "snippet": "snippet",
}
