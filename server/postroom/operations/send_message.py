"""SendMessage: a Markdown message to agents of a project (messages.md, send_message)."""

from agent.v1.message_service_pb2 import SendMessageRequest, SendMessageResponse
from postroom.enclosure import Enclosed
from postroom.messaging import answering, draft, enclosing, recipients, speaking
from postroom.messaging.draft import DEFAULT_IMPORTANCE, Draft
from postroom.messaging.posting import Posting
from postroom.office import Call, StreamCall


async def prepare(call: StreamCall, request: SendMessageRequest) -> Enclosed:
    """Read and convert the images, which takes too long for a transaction."""
    return await enclosing.enclose(call, request, _draft(request))


def send_message(
    call: Call, request: SendMessageRequest, enclosed: Enclosed
) -> SendMessageResponse:
    """Store one message with its copies, or nothing."""
    sent = _draft(request)
    draft.check(sent, has_attachments=enclosing.has_attachments(request))
    project = speaking.project(call, request.project_key)
    sender = speaking.speaker(call, project, request.sender_name)
    asks = call.office.messaging.auto_contact
    if request.HasField("auto_contact_if_blocked"):
        asks = request.auto_contact_if_blocked
    posting = Posting(
        call=call,
        within=project,
        sender=sender,
        draft=sent,
        enclosed=enclosed,
    )
    result = posting.send(asks=asks)
    return answering.response(SendMessageResponse, project, sender, result)


def _draft(request: SendMessageRequest) -> Draft:
    return Draft(
        parts=recipients.parts(request.to, request.cc, request.bcc),
        subject=request.subject.strip(),
        body_md=request.body_md,
        importance=request.importance.strip() or DEFAULT_IMPORTANCE,
        ack_required=request.ack_required,
        topic=request.topic,
        thread_id=request.thread_id,
        broadcast=request.broadcast,
    )
