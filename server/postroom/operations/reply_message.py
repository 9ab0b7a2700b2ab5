"""ReplyMessage: answer a message in its thread (messages.md, Reading)."""

from collections.abc import Sequence

from agent.v1.message_service_pb2 import ReplyMessageRequest, ReplyMessageResponse
from postroom.agent import Agent
from postroom.enclosure import Enclosed
from postroom.message import LONGEST_SUBJECT, Message, Part, Participant
from postroom.messaging import answering, draft, enclosing, reading, recipients, speaking
from postroom.messaging.draft import Draft
from postroom.messaging.posting import Posting
from postroom.office import Call, StreamCall

_PREFIX = "Re: "


async def prepare(call: StreamCall, request: ReplyMessageRequest) -> Enclosed:
    """Read and convert the images, which takes too long for a transaction."""
    return await enclosing.enclose(call, request, _form(request))


def reply_message(
    call: Call, request: ReplyMessageRequest, enclosed: Enclosed
) -> ReplyMessageResponse:
    """Store one answer with its copies, or nothing."""
    draft.check(_form(request), has_attachments=enclosing.has_attachments(request))
    project = speaking.project(call, request.project_key)
    sender = speaking.speaker(call, project, request.sender_name)
    answered = reading.message(call, request.message_id)
    if answered.workflow != project.number or answered.participant(sender.number) is None:
        raise reading.unknown(request.message_id)
    carried = [] if request.to else _addressees(answered, sender)
    sent = _draft(request, answered, [one.name for one in carried])
    draft.check(sent, has_attachments=enclosing.has_attachments(request))
    asks = call.office.messaging.auto_contact
    posting = Posting(
        call=call,
        within=project,
        sender=sender,
        draft=sent,
        enclosed=enclosed,
        answers=answered,
        carried=carried,
    )
    result = posting.send(asks=asks)
    return answering.response(ReplyMessageResponse, project, sender, result)


def _form(request: ReplyMessageRequest) -> Draft:
    """What can be judged before it is known what is answered, which gives the rest."""
    given = recipients.parts(request.to, request.cc, request.bcc)
    return Draft(
        parts=given or {request.sender_name: Part.TO},
        subject=request.subject.strip() or _PREFIX,
        body_md=request.body_md,
        importance="",
        ack_required=False,
        topic="",
        thread_id="",
    )


def _draft(request: ReplyMessageRequest, answered: Message, carried: Sequence[str]) -> Draft:
    return Draft(
        parts=recipients.parts(request.to or carried, request.cc, request.bcc),
        subject=request.subject.strip() or _again(answered.subject),
        body_md=request.body_md,
        importance=request.importance.strip() or answered.importance,
        ack_required=request.ack_required,
        topic=answered.topic,
        thread_id=answered.thread_id,
    )


def _addressees(answered: Message, sender: Agent) -> list[Participant]:
    """Whoever wrote it or, of one's own message, those it was addressed to."""
    if answered.sender.agent != sender.number:
        return [answered.sender]
    return [one for one in answered.participants if one.part is Part.TO]


def _again(subject: str) -> str:
    if subject.lower().startswith(_PREFIX.strip().lower()):
        return subject
    return (_PREFIX + subject)[:LONGEST_SUBJECT].rstrip()
