"""Messages, threads and contacts as messages of agent.v1."""

from collections.abc import Sequence
from typing import Any

from agent.v1 import message_pb2
from postroom.attachment import Attachment
from postroom.contact import Contact
from postroom.instant import rfc3339
from postroom.message import Message, Part, Participant, Thread
from postroom.page import MAX_BYTES

# More than the tag and the length of an item of a list take.
_FRAME_BYTES = 12


def message_value(
    message: Message, viewer: int | None, *, with_body: bool = True, snippet: str | None = None
) -> message_pb2.Message:
    """A message as one agent may see it; `viewer` None is somebody who takes no part."""
    seen = message.seen_by(viewer)
    own = seen.participant(viewer) if viewer is not None else None
    value = message_pb2.Message(
        id=seen.id,
        thread_id=seen.thread_id,
        reply_to=seen.reply_to,
        to=seen.names(Part.TO),
        cc=seen.names(Part.CC),
        bcc=seen.names(Part.BCC),
        subject=seen.subject,
        body_md=seen.body_md if with_body else "",
        importance=seen.importance,
        ack_required=seen.ack_required,
        topic=seen.topic,
        created_at=rfc3339(seen.created_at),
        attachments=[_attachment_value(one) for one in seen.attachments],
        snippet=snippet,
        **{"from": seen.sender.name},
    )
    if own is not None and own.part is not Part.SENDER:
        _say_own(value, own)
    return value


def fitting(values: Sequence[message_pb2.Message], limit: int) -> Sequence[message_pb2.Message]:
    """The first messages that fit on a page: `limit` of them, 3 MiB, at least one."""
    room = MAX_BYTES
    for count, value in enumerate(values[:limit]):
        room -= value.ByteSize() + _FRAME_BYTES
        if room < 0 and count:
            return values[:count]
    return values[:limit]


def thread_value(thread: Thread) -> message_pb2.Thread:
    """The message of a thread."""
    return message_pb2.Thread(
        thread_id=thread.id,
        subject=thread.subject,
        message_count=thread.messages,
        participants=thread.participants,
        first_at=rfc3339(thread.first_at),
        last_at=rfc3339(thread.last_at),
    )


def contact_value(contact: Contact, now: int) -> message_pb2.Contact:
    """The message of a contact with its status at an instant."""
    names: dict[str, Any] = {"from": contact.requester_name}
    return message_pb2.Contact(
        to=contact.target_name,
        status=str(contact.status_at(now)),
        reason=contact.reason,
        updated_at=rfc3339(contact.updated_at),
        expires_at=rfc3339(contact.expires_at) if contact.expires_at is not None else None,
        **names,
    )


def _say_own(value: message_pb2.Message, own: Participant) -> None:
    value.kind = own.part.word
    if own.mail_id is not None:
        value.mail_id = own.mail_id
    if own.read_at is not None:
        value.read_at = rfc3339(own.read_at)
    if own.acknowledged_at is not None:
        value.acknowledged_at = rfc3339(own.acknowledged_at)


def _attachment_value(one: Attachment) -> message_pb2.Attachment:
    return message_pb2.Attachment(
        name=one.name,
        media_type=one.media_type,
        mode=str(one.mode),
        path=one.path,
        sha256=one.sha256,
        bytes=one.bytes,
        width=one.width,
        height=one.height,
        reason=one.reason,
    )
