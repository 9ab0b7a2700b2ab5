"""MarkMessageRead: claim one's copy of a message."""

from agent.v1.message_service_pb2 import MarkMessageReadRequest, MarkMessageReadResponse
from postroom.instant import rfc3339
from postroom.messaging import reading, speaking
from postroom.office import Call


def mark_message_read(call: Call, request: MarkMessageReadRequest) -> MarkMessageReadResponse:
    """Claim the copy unless it was; the first time stays."""
    project = speaking.project(call, request.project_key)
    agent = speaking.speaker(call, project, request.agent_name)
    (agent,) = call.session.lock(agent)
    found, own = reading.received(call, agent, request.message_id)
    read_at = call.session.claim_copy(agent, found, call.now)
    speaking.acted(call, agent)
    response = MarkMessageReadResponse(read_at=rfc3339(read_at))
    if own.acknowledged_at is not None:
        response.acknowledged_at = rfc3339(own.acknowledged_at)
    return response
