"""RequestContact: ask an agent to be let write to it."""

from agent.v1.message_service_pb2 import RequestContactRequest, RequestContactResponse
from postroom import token
from postroom.messaging import handshake, speaking
from postroom.office import Call
from postroom.rpc.message_values import contact_value


def request_contact(call: Call, request: RequestContactRequest) -> RequestContactResponse:
    """Leave a pending request, or renew it."""
    token.must_not_be_in("reason", request.reason)
    project = speaking.project(call, request.project_key)
    requester = speaking.speaker(call, project, request.from_agent)
    target = speaking.other(call.session, project, requester, "to_agent", request.to_agent)
    requester, target = call.session.lock(requester, target)
    asked = handshake.request(call, requester, target, request.reason, request.ttl_seconds)
    speaking.acted(call, requester)
    return RequestContactResponse(contact=contact_value(asked, call.now))
