"""AcknowledgeMessage: tell the sender that a message was taken note of."""

from agent.v1.message_service_pb2 import AcknowledgeMessageRequest, AcknowledgeMessageResponse
from postroom.instant import rfc3339
from postroom.messaging import reading, speaking
from postroom.office import Call


def acknowledge_message(
    call: Call, request: AcknowledgeMessageRequest
) -> AcknowledgeMessageResponse:
    """Acknowledge the message unless that was done; the first time stays."""
    project = speaking.project(call, request.project_key)
    agent = speaking.speaker(call, project, request.agent_name)
    (agent,) = call.session.lock(agent)
    found, own = reading.received(call, agent, request.message_id)
    at = call.session.acknowledge(agent.number, found, call.now)
    speaking.acted(call, agent)
    response = AcknowledgeMessageResponse(acknowledged_at=rfc3339(at))
    if own.read_at is not None:
        response.read_at = rfc3339(own.read_at)
    return response
