"""GetMessage: one message that the caller sent or got."""

from agent.v1.message_service_pb2 import GetMessageRequest, GetMessageResponse
from postroom.messaging import reading, speaking
from postroom.office import Call
from postroom.rpc.message_values import message_value


def get_message(call: Call, request: GetMessageRequest) -> GetMessageResponse:
    """Return the message as the caller may see it."""
    key = request.project_key
    project = speaking.project(call, key) if key else None
    found = reading.message(call, request.message_id)
    if project is not None and found.workflow != project.number:
        raise reading.unknown(found.id)
    viewer = reading.viewer(call, found)
    return GetMessageResponse(message=message_value(found, viewer))
