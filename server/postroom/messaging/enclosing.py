"""The images of a message, read and converted before its transaction (messages.md, Attachments)."""

from agent.v1.message_service_pb2 import ReplyMessageRequest, SendMessageRequest
from postroom.messaging.draft import Draft
from postroom.messaging.posting import Enclosed
from postroom.office import StreamCall

Request = SendMessageRequest | ReplyMessageRequest


async def enclose(call: StreamCall, request: Request, draft: Draft) -> Enclosed:
    """Make what goes with the message."""
    del call, request
    return Enclosed(body_md=draft.body_md)


def has_attachments(request: Request) -> bool:
    """Whether images come apart from the body."""
    return bool(request.attachments or request.attachment_paths)


def chosen(request: Request, name: str, default: bool) -> bool:
    """What the caller says, or the server's own choice where it says nothing."""
    return bool(getattr(request, name)) if request.HasField(name) else default  # type: ignore[arg-type]
