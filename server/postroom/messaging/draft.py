"""A message as its sender wrote it, and the rules of its form (messages.md, send_message)."""

import re
import unicodedata
from dataclasses import dataclass

from postroom import token
from postroom.errors import InvalidRequest, Violation, invalid
from postroom.message import LONGEST_SUBJECT, Part
from postroom.messaging import recipients

_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_TAG_RULE = "must be 1 to 64 characters: a letter or digit, then letters, digits, '.', '_' or '-'"
DEFAULT_IMPORTANCE = "normal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is sent. `parts` has every name once, with the list that it is in."""

    parts: dict[str, Part]
    subject: str
    body_md: str
    importance: str
    ack_required: bool
    topic: str
    thread_id: str
    broadcast: bool = False


def check(draft: Draft, *, has_attachments: bool) -> None:
    """Raise InvalidRequest naming every field that breaks a rule of a message's form."""
    wrong = [
        Violation(field, told)
        for field, told in (
            ("subject", _subject_fault(draft.subject)),
            ("body_md", _body_fault(draft.body_md, has_attachments=has_attachments)),
            ("topic", _tag_fault(draft.topic)),
            ("thread_id", _tag_fault(draft.thread_id)),
            ("to", _recipients_fault(draft)),
        )
        if told
    ]
    if wrong:
        raise InvalidRequest(*wrong)
    recipients.check_count(len(draft.parts))
    token.must_not_be_in("subject", draft.subject)
    token.must_not_be_in("body_md", draft.body_md)


def check_tag(field: str, tag: str) -> None:
    """Raise InvalidRequest for a topic, or a thread's id, that none could have."""
    if told := _tag_fault(tag):
        raise invalid(field, told)


def _subject_fault(subject: str) -> str:
    if not subject:
        return "is required; say in a few words what the message is about"
    if len(subject) > LONGEST_SUBJECT:
        return (
            f"has {len(subject):,} characters, more than the {LONGEST_SUBJECT} allowed; shorten it"
        )
    if any(unicodedata.category(each) == "Cc" for each in subject):
        return "has a control character, such as a line break; leave it out"
    return ""


def _body_fault(body: str, *, has_attachments: bool) -> str:
    if not body and not has_attachments:
        return "is required; it may be empty only with an attachment"
    return ""


def _tag_fault(tag: str) -> str:
    return "" if not tag or _TAG.fullmatch(tag) else _TAG_RULE


def _recipients_fault(draft: Draft) -> str:
    has_to = Part.TO in draft.parts.values()
    if draft.broadcast and has_to:
        return "goes without broadcast; leave one of them out"
    if not draft.broadcast and not draft.parts:
        return "is required, or cc, bcc or broadcast; name at least one recipient"
    return ""
