"""CreateToken: make a token with which an agent proves who it is."""

from agent.v1.agent_service_pb2 import CreateTokenRequest, CreateTokenResponse
from postroom import issuing, lookup
from postroom.errors import Archived
from postroom.instant import rfc3339
from postroom.office import Call
from postroom.operators import operator_only


def create_token(call: Call, request: CreateTokenRequest) -> CreateTokenResponse:
    """Store a token's hash and return the token, which is never shown again."""
    operator_only(call, "make tokens")
    (agent,) = call.session.lock(lookup.agent(call.session, request.agent_id))
    if agent.is_archived:
        told = f"{agent.id} is archived and may call nothing, so it needs no token"
        raise Archived(agent.id, told)
    made = issuing.issue(call, agent, request.label)
    return CreateTokenResponse(
        token=made.text, key_id=made.key_id, expires_at=rfc3339(made.expires_at)
    )
