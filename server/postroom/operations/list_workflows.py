"""ListWorkflows: workflows, oldest first."""

from agent.v1.agent_service_pb2 import ListWorkflowsRequest, ListWorkflowsResponse
from postroom.office import Call
from postroom.page import page_limit
from postroom.rpc.messages import workflow_message


def list_workflows(call: Call, request: ListWorkflowsRequest) -> ListWorkflowsResponse:
    """Return one page of all workflows."""
    cursors = call.office.cursors
    scope = (call.caller.id, "workflows")
    after = cursors.read(request.pagination.cursor, *scope) or 0
    limit = page_limit(request.pagination.limit)
    found = call.session.workflows(after=after, limit=limit + 1)
    response = ListWorkflowsResponse(workflows=map(workflow_message, found[:limit]))
    if len(found) > limit:
        response.next_page_token = cursors.write(found[limit - 1].number, *scope)
    return response
