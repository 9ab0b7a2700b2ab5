"""The header line of one piece of mail: who wrote it, to whom, what sort, how much."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from google.protobuf.descriptor import Descriptor

from postroom.agent import OPERATOR
from postroom.surfaces.tools.visible import value

BODY: Final = "body"
_SIGNS: Final = {"from_name", "from_agent_id", BODY}


def is_letter(message: Descriptor | None) -> bool:
    """Whether a message is something that somebody wrote to somebody."""
    return message is not None and set(message.fields_by_name) >= _SIGNS


def header(mail: Mapping[str, Any]) -> str:
    """Say everything about a piece of mail but its text."""
    return " · ".join(_parts(mail))


def _parts(mail: Mapping[str, Any]) -> Iterator[str]:
    yield f"{value(mail.get('id', ''))} from {_sender(mail)}"
    yield f"kind {_kind(mail.get('kind', ''))}"
    yield f"{len(mail.get(BODY, '')):,} characters"
    for name, told in _TOLD.items():
        if mail.get(name):
            yield f"{told} {value(mail[name])}"


def _sender(mail: Mapping[str, Any]) -> str:
    sender = mail.get("fromAgentId")
    if not sender:
        return "the post room itself (a notice)"
    if sender == OPERATOR:
        return "the person (operator)"
    return f"agent:{value(sender)} called {value(mail.get('fromName', ''))}"


def _kind(name: str) -> str:
    return value(str(name).removeprefix("MAIL_KIND_").lower())


_TOLD: Final = {
    "toAgentId": "to",
    "createdAt": "sent",
    "replyTo": "answers",
    "claimedAt": "claimed",
    "expiresAt": "expires",
    "messageId": "copy of message",
}
