"""ListProjectAgents: the agents of a project that can be written to."""

from agent.v1.message_service_pb2 import ListProjectAgentsRequest, ListProjectAgentsResponse
from postroom.messaging import speaking
from postroom.office import Call
from postroom.page import page_limit
from postroom.rpc.messages import agent_message


def list_project_agents(call: Call, request: ListProjectAgentsRequest) -> ListProjectAgentsResponse:
    """Return one page of the live agents, oldest first."""
    project = speaking.project(call, request.project_key)
    cursors = call.office.cursors
    scope = (call.caller.id, "project", project.id)
    after = cursors.read(request.pagination.cursor, *scope) or 0
    limit = page_limit(request.pagination.limit)
    found = call.session.live_agents(project.number, after=after, limit=limit + 1)
    shown = found[:limit]
    waiting = call.session.count_waiting(shown, now=call.now)
    response = ListProjectAgentsResponse(
        agents=[agent_message(agent, waiting[agent.number]) for agent in shown]
    )
    if len(found) > limit:
        response.next_page_token = cursors.write(shown[-1].number, *scope)
    return response
