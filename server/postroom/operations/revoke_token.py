"""RevokeToken: make a token worthless."""

from agent.v1.agent_service_pb2 import RevokeTokenRequest, RevokeTokenResponse
from postroom.errors import NotFound, quoted
from postroom.office import Call
from postroom.operators import operator_only
from postroom.rpc.messages import token_message


def revoke_token(call: Call, request: RevokeTokenRequest) -> RevokeTokenResponse:
    """Revoke the token; one that is revoked already stays as it is."""
    operator_only(call, "revoke tokens")
    found = call.session.token(request.key_id)
    if found is None:
        told = f"no token has the key id {quoted(request.key_id)}"
        raise NotFound("token", request.key_id, told)
    if found.revoked_at is None:
        found = call.session.revoke_token(found, call.now)
    return RevokeTokenResponse(token=token_message(found))
