"""GetMessage: one message that the caller sent or got."""

from agent.v1.message_service_pb2 import GetMessageRequest, GetMessageResponse
from postroom.messaging import reading, speaking
from postroom.office import Call
from postroom.rpc.message_values import message_value


def get_message(call: Call, request: GetMessageRequest) -> GetMessageResponse:
    """Return the message as the caller may see it."""
    found = reading.message(call, request.message_id)
    viewer = reading.viewer(call, found)
    if request.project_key:
        project = speaking.project(call.session, request.project_key)
        if found.workflow != project.number:
            raise reading.unknown(found.id)
    return GetMessageResponse(message=message_value(found, viewer))
