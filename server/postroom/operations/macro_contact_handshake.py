"""MacroContactHandshake: ask for contact and, in one session, approve it at once."""

from agent.v1.message_service_pb2 import (
    MacroContactHandshakeRequest,
    MacroContactHandshakeResponse,
)
from postroom import token
from postroom.contact import ContactPolicy, PolicyForbids
from postroom.messaging import handshake, speaking
from postroom.messaging.presence import is_present
from postroom.office import Call
from postroom.rpc.message_values import contact_value


def macro_contact_handshake(
    call: Call, request: MacroContactHandshakeRequest
) -> MacroContactHandshakeResponse:
    """Approve where the target is in the caller's session, else leave a request."""
    token.must_not_be_in("reason", request.reason)
    project = speaking.project(call, request.project_key)
    requester = speaking.speaker(call, project, request.requester)
    target = speaking.other(call.session, project, requester, "target", request.target)
    requester, target = call.session.lock(requester, target)
    if target.contact_policy == ContactPolicy.BLOCK_ALL:
        raise PolicyForbids([target.name])
    if request.auto_accept and is_present(call, target):
        seconds = request.ttl_seconds or call.office.messaging.in_session_contact
        made = handshake.accept(call, requester, target, request.reason, seconds)
    else:
        made = handshake.request(call, requester, target, request.reason, request.ttl_seconds)
    speaking.acted(call, requester)
    return MacroContactHandshakeResponse(contact=contact_value(made, call.now))
