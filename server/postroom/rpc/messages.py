"""Values of the domain as messages of agent.v1, and mail in its stored form."""

from collections.abc import Iterable, Sequence

from agent.v1 import agent_pb2, agent_service_pb2, mail_pb2
from postroom.agent import Agent
from postroom.instant import rfc3339
from postroom.mail import Mail, Piece
from postroom.page import MAX_BYTES
from postroom.ports import MailboxRead
from postroom.workflow import Workflow

# Tags of length-delimited fields: `repeated Mail mail = 1` of a response, and
# `claimed_at = 8` of Mail. Protobuf lets a field follow at the end of a message.
_MAIL_TAG = b"\x0a"
_CLAIMED_AT_TAG = b"\x42"
_ONE_BYTE = 0x80


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
    )


def fitting(pieces: Sequence[Piece], limit: int) -> Sequence[Piece]:
    """The first pieces that fit on a page: `limit` of them, 3 MiB, at least one."""
    room = MAX_BYTES
    for count, piece in enumerate(pieces[:limit]):
        room -= len(piece.wire) + 40
        if room < 0 and count:
            return pieces[:count]
    return pieces[:limit]


def mail_list(pieces: Iterable[Piece]) -> agent_service_pb2.ListMailResponse:
    """A page of mail, joined from the stored forms and parsed in one go."""
    return agent_service_pb2.ListMailResponse.FromString(_frames(pieces))


def read_mail(pieces: Iterable[Piece]) -> agent_service_pb2.ReadMailResponse:
    """Mail that was claimed, joined like a page."""
    return agent_service_pb2.ReadMailResponse.FromString(_frames(pieces))


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
    )


def workflow_message(workflow: Workflow) -> agent_pb2.Workflow:
    """The message of a workflow."""
    return agent_pb2.Workflow(
        id=workflow.id, key=workflow.key, created_at=rfc3339(workflow.created_at)
    )


def read_message(read: MailboxRead) -> mail_pb2.MailboxRead:
    """The message of a record of a foreign read."""
    return mail_pb2.MailboxRead(
        id=read.id,
        reader_agent_id=read.reader_id,
        agent_id=read.owner_id,
        read_at=rfc3339(read.read_at),
        method=read.method,
        direction=mail_pb2.MailDirection.ValueType(read.direction),
    )


def _frames(pieces: Iterable[Piece]) -> bytes:
    parts: list[bytes] = []
    for _, wire, claimed_at in pieces:
        if claimed_at is None:
            parts += (_MAIL_TAG, _varint(len(wire)), wire)
            continue
        text = rfc3339(claimed_at).encode()
        length = len(wire) + 2 + len(text)
        parts += (_MAIL_TAG, _varint(length), wire, _CLAIMED_AT_TAG, _varint(len(text)), text)
    return b"".join(parts)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= _ONE_BYTE:
        out.append(number & 0x7F | _ONE_BYTE)
        number >>= 7
    out.append(number)
    return bytes(out)
