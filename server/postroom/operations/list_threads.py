"""ListThreads: the threads that an agent takes part in, the last written to first."""

from agent.v1.message_service_pb2 import ListThreadsRequest, ListThreadsResponse
from postroom.messaging import speaking
from postroom.office import Call
from postroom.page import page_limit
from postroom.rpc.message_values import thread_value


def list_threads(call: Call, request: ListThreadsRequest) -> ListThreadsResponse:
    """Return one page of threads in figures."""
    project = speaking.project(call, request.project_key)
    agent = speaking.reader(call, project, request.agent_name)
    cursors = call.office.cursors
    scope = (call.caller.id, "threads", agent.id)
    before = cursors.read(request.pagination.cursor, *scope)
    limit = page_limit(request.pagination.limit)
    found = call.session.threads(agent.number, project.number, before=before, limit=limit + 1)
    response = ListThreadsResponse(threads=[thread_value(one) for one in found[:limit]])
    if len(found) > limit:
        response.next_page_token = cursors.write(found[limit - 1].last, *scope)
    return response
