"""ReplyMessage: answer a message in its thread (messages.md, Reading)."""

from agent.v1.message_service_pb2 import ReplyMessageRequest, ReplyMessageResponse
from postroom.agent import Agent
from postroom.message import LONGEST_SUBJECT, Message, Part
from postroom.messaging import answering, draft, enclosing, reading, recipients, speaking
from postroom.messaging.draft import Draft
from postroom.messaging.posting import Enclosed, Posting
from postroom.office import Call, StreamCall

_PREFIX = "Re: "


async def prepare(call: StreamCall, request: ReplyMessageRequest) -> Enclosed:
    """Read and convert the images, which takes too long for a transaction."""
    # What is answered gives the subject and the recipients: any will do for the form.
    form = Draft(
        parts={request.sender_name: Part.TO},
        subject=request.subject.strip() or _PREFIX,
        body_md=request.body_md,
        importance="",
        ack_required=False,
        topic="",
        thread_id="",
    )
    return await enclosing.enclose(call, request, form)


def reply_message(
    call: Call, request: ReplyMessageRequest, enclosed: Enclosed
) -> ReplyMessageResponse:
    """Store one answer with its copies, or nothing."""
    project = speaking.project(call.session, request.project_key)
    sender = speaking.speaker(call, project, request.sender_name)
    answered = reading.message(call, request.message_id)
    if answered.workflow != project.number or answered.participant(sender.number) is None:
        raise reading.unknown(request.message_id)
    sent = _draft(request, answered, sender)
    draft.check(sent, has_attachments=enclosing.has_attachments(request))
    asks = call.office.messaging.auto_contact
    letter = Posting(
        call=call,
        within=project,
        sender=sender,
        draft=sent,
        enclosed=enclosed,
        answers=answered,
    )
    result = letter.send(asks=asks)
    return answering.response(ReplyMessageResponse, project, sender, result)


def _draft(request: ReplyMessageRequest, answered: Message, sender: Agent) -> Draft:
    parts = recipients.parts(request.to, request.cc, request.bcc)
    if not request.to:
        parts = dict.fromkeys(_addressees(answered, sender), Part.TO) | parts
    return Draft(
        parts=parts,
        subject=request.subject.strip() or _again(answered.subject),
        body_md=request.body_md,
        importance=request.importance.strip() or answered.importance,
        ack_required=request.ack_required,
        topic=answered.topic,
        thread_id=answered.thread_id,
    )


def _addressees(answered: Message, sender: Agent) -> list[str]:
    """Whoever wrote it or, of one's own message, those it was addressed to."""
    if answered.sender.agent != sender.number:
        return [answered.sender.name]
    return list(answered.names(Part.TO))


def _again(subject: str) -> str:
    if subject.lower().startswith(_PREFIX.strip().lower()):
        return subject
    return (_PREFIX + subject)[:LONGEST_SUBJECT]
