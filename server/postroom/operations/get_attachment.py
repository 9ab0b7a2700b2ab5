"""GetAttachment: the content of an attachment, or a range of it."""

from agent.v1.message_service_pb2 import GetAttachmentRequest, GetAttachmentResponse
from postroom import foreign, lookup
from postroom.attachment import LARGEST_RANGE_BYTES
from postroom.errors import NotFound, invalid, quoted
from postroom.mail import MailDirection
from postroom.messaging import speaking
from postroom.office import Call
from postroom.records import NOT_KNOWN
from postroom.workflow import Workflow


def get_attachment(call: Call, request: GetAttachmentRequest) -> GetAttachmentResponse:
    """Return at most 2 MiB of a file that came with a message of the caller's."""
    project = speaking.project(call, request.project_key)
    sha256 = request.sha256.lower()
    _check_right(call, project, sha256)
    file = call.session.file(project.number, sha256)
    if file is None:
        raise _unknown(sha256)
    if request.offset > len(file.data):
        told = f"is behind the end: the attachment has {len(file.data):,} bytes; begin before that"
        raise invalid("offset", told, "OUT_OF_RANGE")
    length = min(request.limit or LARGEST_RANGE_BYTES, LARGEST_RANGE_BYTES)
    return GetAttachmentResponse(
        data=file.data[request.offset : request.offset + length],
        media_type=file.media_type,
        bytes=len(file.data),
    )


def _check_right(call: Call, project: Workflow, sha256: str) -> None:
    if not call.caller.is_operator:
        if not call.session.may_see_file(call.caller.number, project.number, sha256):
            raise _unknown(sha256)
        return
    sender = call.session.file_sender(project.number, sha256)
    if sender is None:
        raise _unknown(sha256)
    owner = lookup.agent(call.session, sender)
    foreign.admit(call, owner, MailDirection.SENT)
    foreign.record(call, owner, MailDirection.SENT, NOT_KNOWN)


def _unknown(sha256: str) -> NotFound:
    told = f"you neither sent nor got an attachment with the SHA-256 {quoted(sha256)}"
    return NotFound("attachment", sha256, told)
