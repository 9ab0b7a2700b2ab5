"""ListAgents: agents, oldest first."""

from agent.v1.agent_service_pb2 import ListAgentsRequest, ListAgentsResponse
from postroom import lookup
from postroom.agent import AgentState
from postroom.office import Call
from postroom.page import page_limit
from postroom.rpc.messages import agent_message


def list_agents(call: Call, request: ListAgentsRequest) -> ListAgentsResponse:
    """Return one page of the agents that pass every filter."""
    session = call.session
    workflow = lookup.workflow(session, request.workflow).number if request.workflow else None
    parent = lookup.agent(session, request.parent_id).number if request.parent_id else None
    state = AgentState(request.state) if request.state else None
    cursors = call.office.cursors
    scope = (call.caller.id, "agents", f"{workflow} {parent} {state}")
    after = cursors.read(request.pagination.cursor, *scope) or 0
    limit = page_limit(request.pagination.limit)
    found = session.agents(
        workflow=workflow, parent=parent, state=state, after=after, limit=limit + 1
    )
    shown = found[:limit]
    waiting = session.count_waiting(shown, now=call.now)
    response = ListAgentsResponse(
        agents=[agent_message(agent, waiting[agent.number]) for agent in shown]
    )
    if len(found) > limit:
        response.next_page_token = cursors.write(found[limit - 1].number, *scope)
    return response
