"""ListTokens: tokens without their secrets, oldest first."""

from agent.v1.agent_service_pb2 import ListTokensRequest, ListTokensResponse
from postroom import lookup
from postroom.office import Call
from postroom.operators import operator_only
from postroom.page import page_limit
from postroom.rpc.messages import token_message


def list_tokens(call: Call, request: ListTokensRequest) -> ListTokensResponse:
    """Return one page of the tokens of one agent or of all."""
    operator_only(call, "list tokens")
    session, cursors = call.session, call.office.cursors
    agent = lookup.agent(session, request.agent_id).number if request.agent_id else None
    scope = (call.caller.id, "tokens", str(agent))
    after = cursors.read(request.pagination.cursor, *scope) or 0
    limit = page_limit(request.pagination.limit)
    found = session.tokens(agent=agent, after=after, limit=limit + 1)
    response = ListTokensResponse(tokens=map(token_message, found[:limit]))
    if len(found) > limit:
        response.next_page_token = cursors.write(found[limit - 1].number, *scope)
    return response
