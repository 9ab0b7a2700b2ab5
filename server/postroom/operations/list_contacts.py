"""ListContacts: the requests for contact that an agent made or got."""

from agent.v1.message_service_pb2 import ListContactsRequest, ListContactsResponse
from postroom.messaging import speaking
from postroom.office import Call
from postroom.page import page_limit
from postroom.rpc.message_values import contact_value


def list_contacts(call: Call, request: ListContactsRequest) -> ListContactsResponse:
    """Return one page, oldest first."""
    project = speaking.project(call, request.project_key)
    agent = speaking.manager(call, project, request.agent_name)
    cursors = call.office.cursors
    scope = (call.caller.id, "contacts", agent.id)
    after = cursors.read(request.pagination.cursor, *scope) or 0
    limit = page_limit(request.pagination.limit)
    found = call.session.contacts(agent.number, after=after, limit=limit + 1)
    response = ListContactsResponse(
        contacts=[contact_value(one, call.now) for _, one in found[:limit]]
    )
    if len(found) > limit:
        response.next_page_token = cursors.write(found[limit - 1][0], *scope)
    return response
