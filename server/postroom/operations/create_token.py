"""CreateToken: make a token with which an agent proves who it is."""

from agent.v1.agent_service_pb2 import CreateTokenRequest, CreateTokenResponse
from postroom import lookup, token
from postroom.errors import Archived
from postroom.instant import rfc3339
from postroom.office import Call
from postroom.operators import operator_only

_MOST_KNOWN = 1000


def create_token(call: Call, request: CreateTokenRequest) -> CreateTokenResponse:
    """Store a token's hash and return the token, which is never shown again."""
    operator_only(call, "make tokens")
    (agent,) = call.session.lock(lookup.agent(call.session, request.agent_id))
    if agent.is_archived:
        told = f"{agent.id} is archived and may call nothing, so it needs no token"
        raise Archived(agent.id, told)
    known = call.session.tokens(agent=agent.number, after=0, limit=_MOST_KNOWN)
    if sum(each.is_live(call.now) for each in known) >= token.MOST_LIVE:
        raise token.too_many(agent.id)
    expires_at = call.now + token.LIFETIME
    made, text = token.issue(call.office.random_bytes, agent, request.label, call.now, expires_at)
    call.session.add_token(made)
    return CreateTokenResponse(token=text, key_id=made.key_id, expires_at=rfc3339(expires_at))
