"""Values of the domain as messages of agent.v1, and mail in its stored form."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from agent.v1 import agent_pb2, mail_pb2, token_pb2
from postroom.agent import Agent
from postroom.instant import instant_of, rfc3339
from postroom.mail import Mail, MailKind, Piece
from postroom.page import MAX_BYTES
from postroom.records import NOTHING, MailboxRead, Shown
from postroom.token import Token
from postroom.workflow import Workflow

# Tags of fields: `repeated Mail mail = 1` and `next_page_token = 2` of a list,
# `remaining = 2` of ReadMail, and `claimed_at = 8` of Mail. Protobuf lets a field
# follow at the end of a message.
_MAIL_TAG = b"\x0a"
_NEXT_PAGE_TOKEN_TAG = b"\x12"
_REMAINING_TAG = b"\x10"
_CLAIMED_AT_TAG = b"\x42"
_ONE_BYTE = 0x80
# More than a piece's tag, length and claimed_at take.
_FRAME_BYTES = 40


def mail_message(mail: Mail) -> mail_pb2.Mail:
    """The message of a piece that was just sent, so not yet claimed."""
    return mail_pb2.Mail(
        id=mail.id,
        from_agent_id=mail.from_agent_id,
        from_name=mail.from_name,
        to_agent_id=mail.to_agent_id,
        body=mail.body,
        reply_to=mail.reply_to,
        created_at=rfc3339(mail.created_at),
        expires_at=rfc3339(mail.expires_at),
        kind=mail_pb2.MailKind.ValueType(mail.kind),
        message_id=mail.message_id,
    )


def mail_of(wire: bytes) -> Mail:
    """A piece as it was sent, from its stored form; the store's numbers are not in it."""
    message = mail_pb2.Mail.FromString(wire)
    return Mail(
        id=message.id,
        sender=None,
        from_agent_id=message.from_agent_id if message.HasField("from_agent_id") else None,
        from_name=message.from_name,
        recipient=0,
        to_agent_id=message.to_agent_id,
        body=message.body,
        reply_to=message.reply_to if message.HasField("reply_to") else None,
        created_at=instant_of(message.created_at, "created_at"),
        expires_at=instant_of(message.expires_at, "expires_at"),
        kind=MailKind(message.kind),
        message_id=message.message_id if message.HasField("message_id") else None,
    )


def piece_message(piece: Piece) -> mail_pb2.Mail:
    """The message of a piece as it is kept."""
    _, wire, claimed_at, _ = piece
    message = mail_pb2.Mail.FromString(wire)
    if claimed_at is not None:
        message.claimed_at = rfc3339(claimed_at)
    return message


def token_message(token: Token) -> token_pb2.Token:
    """The message of a token, without its secret."""
    return token_pb2.Token(
        key_id=token.key_id,
        agent_id=token.agent_id,
        label=token.label,
        created_at=rfc3339(token.created_at),
        expires_at=rfc3339(token.expires_at) if token.expires_at else "",
        revoked_at=rfc3339(token.revoked_at) if token.revoked_at else None,
        last_used_at=rfc3339(token.last_used_at) if token.last_used_at else None,
    )


def fitting(pieces: Sequence[Piece], limit: int) -> Sequence[Piece]:
    """The first pieces that fit on a page: `limit` of them, 3 MiB, at least one."""
    sizes = [len(piece[1]) for piece in pieces]
    if sum(sizes) + len(sizes) * _FRAME_BYTES <= MAX_BYTES:
        return pieces[:limit]
    room = MAX_BYTES
    for count, size in enumerate(sizes[:limit]):
        room -= size + _FRAME_BYTES
        if room < 0 and count:
            return pieces[:count]
    return pieces[:limit]


def mail_list(pieces: Iterable[Piece], next_page_token: str) -> bytes:
    """A ListMailResponse in wire form, joined from the stored forms."""
    token = next_page_token.encode()
    return _frames(pieces) + _text_field(_NEXT_PAGE_TOKEN_TAG, token)


def read_mail(pieces: Iterable[Piece], remaining: int) -> bytes:
    """A ReadMailResponse in wire form, joined like a list."""
    return _frames(pieces) + (_REMAINING_TAG + _varint(remaining) if remaining else b"")


def agent_message(agent: Agent, waiting: int) -> agent_pb2.Agent:
    """The message of an agent that has `waiting` pieces of mail."""
    return agent_pb2.Agent(
        id=agent.id,
        name=agent.name,
        workflow_id=agent.workflow_id,
        role=agent.role,
        parent_id=agent.parent_id,
        state=agent_pb2.AgentState.ValueType(agent.state),
        program=agent.program,
        model=agent.model,
        task_description=agent.task_description,
        created_at=rfc3339(agent.created_at),
        last_active_at=rfc3339(agent.mailbox.last_active_at),
        waiting=waiting,
        contact_policy=agent.contact_policy,
        attachments_policy=agent.attachments_policy,
    )


def workflow_message(workflow: Workflow) -> agent_pb2.Workflow:
    """The message of a workflow."""
    return agent_pb2.Workflow(
        id=workflow.id, key=workflow.key, created_at=rfc3339(workflow.created_at)
    )


def read_message(read: MailboxRead, *, for_operator: bool) -> mail_pb2.MailboxRead:
    """The message of a record of a foreign read; only the operator is told from where."""
    message = mail_pb2.MailboxRead(
        id=read.id,
        reader_agent_id=read.reader_id,
        agent_id=read.owner_id,
        read_at=rfc3339(read.read_at),
        method=read.method,
        direction=mail_pb2.MailDirection.ValueType(read.direction or 0),
        event=mail_pb2.MailboxReadEvent.ValueType(read.event),
        reason=read.reason,
        attempts=read.attempts,
        mail_count=read.shown.mails,
        first_mail_id=read.shown.first_mail_id,
        last_mail_id=read.shown.last_mail_id,
        proof=mail_pb2.ReaderProof.ValueType(read.proof),
        surface=read.surface,
    )
    if for_operator:
        message.request_id = read.request_id
        message.peer, message.key_id = read.peer, read.key_id
    return message


def shown_in(pieces: Sequence[Piece]) -> Shown:
    """What somebody sees who is shown these pieces."""
    if not pieces:
        return NOTHING
    first, last = (mail_pb2.Mail.FromString(each[1]).id for each in (pieces[0], pieces[-1]))
    return Shown(len(pieces), first, last)


def _frames(pieces: Iterable[Piece]) -> bytes:
    parts: list[bytes] = []
    for _, wire, claimed_at, _ in pieces:
        if claimed_at is None:
            parts += (_header(len(wire)), wire)
        else:
            tail = _claimed(claimed_at)
            parts += (_header(len(wire) + len(tail)), wire, tail)
    return b"".join(parts)


# A page has few lengths and few instants of claiming, and both repeat on the next.
@lru_cache(4096)
def _header(length: int) -> bytes:
    return _MAIL_TAG + _varint(length)


@lru_cache(4096)
def _claimed(at: int) -> bytes:
    return _text_field(_CLAIMED_AT_TAG, rfc3339(at).encode())


def _text_field(tag: bytes, text: bytes) -> bytes:
    return tag + _varint(len(text)) + text if text else b""


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= _ONE_BYTE:
        out.append(number & 0x7F | _ONE_BYTE)
        number >>= 7
    out.append(number)
    return bytes(out)
