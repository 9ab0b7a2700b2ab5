"""The images of a message, made ready before its transaction (messages.md, Attachments)."""

from agent.v1.message_service_pb2 import ReplyMessageRequest, SendMessageRequest
from postroom.agent import Agent
from postroom.attachment import AttachmentsPolicy, StoredFile
from postroom.enclosure import Enclosed, Wanted, needs_work
from postroom.errors import Code, Refusal
from postroom.messaging import draft, speaking
from postroom.messaging.draft import Draft
from postroom.office import StreamCall
from postroom.ports import Session
from postroom.workflow import Workflow

Request = SendMessageRequest | ReplyMessageRequest


async def enclose(call: StreamCall, request: Request, written: Draft) -> Enclosed:
    """Make what goes with the message, once its sender and its form are known to be right.

    What is wrong with an image is kept, to be told in its turn.
    """
    takes_none = call.office.attaching is None and not has_attachments(request)
    if takes_none or not needs_work(request.body_md, request.attachments, request.attachment_paths):
        return Enclosed(body_md=request.body_md)
    draft.check(written, has_attachments=has_attachments(request))

    def look(session: Session) -> tuple[Workflow, Agent]:
        call.prove(session)
        within = call.within(session)
        project = speaking.project(within, request.project_key)
        return project, speaking.speaker(within, project, request.sender_name)

    project, sender = await call.office.store.perform(look, writes=False, until=None)
    try:
        return await _prepared(call, request, project, sender)
    except Refusal as refusal:
        return Enclosed(body_md=request.body_md, refusal=refusal)


def has_attachments(request: Request) -> bool:
    """Whether images come apart from the body."""
    return bool(request.attachments or request.attachment_paths)


async def _prepared(
    call: StreamCall, request: Request, project: Workflow, sender: Agent
) -> Enclosed:
    office = call.office
    if office.attaching is None:
        raise Refusal("images cannot be taken here", Code.UNIMPLEMENTED, "NO_ATTACHMENTS")

    async def stored(sha256: str) -> StoredFile | None:
        def find(session: Session) -> StoredFile | None:
            may_see = session.may_see_file(sender.number, project.number, sha256)
            return session.file(project.number, sha256) if may_see else None

        return await office.store.perform(find, writes=False, until=None)

    files = office.files.place(project.id) if office.files and call.is_local else None
    policy = AttachmentsPolicy(sender.attachments_policy)
    by_itself = office.messaging.converts_images
    asked = request.convert_images if request.HasField("convert_images") else by_itself
    return await office.attaching.prepare(
        Wanted(
            body_md=request.body_md,
            given=[(one.filename, one.data) for one in request.attachments],
            paths=list(request.attachment_paths),
            converts=asked or policy is not AttachmentsPolicy.AUTO,
            policy=policy,
            files=files,
            stored=stored,
        )
    )
