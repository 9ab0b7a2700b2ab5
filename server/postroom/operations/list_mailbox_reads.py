"""ListMailboxReads: who has looked into a mailbox."""

from agent.v1.agent_service_pb2 import ListMailboxReadsRequest, ListMailboxReadsResponse
from postroom import foreign, lookup
from postroom.office import Call
from postroom.page import page_limit
from postroom.rpc.messages import read_message


def list_mailbox_reads(call: Call, request: ListMailboxReadsRequest) -> ListMailboxReadsResponse:
    """Return one page of the record, newest first."""
    owner = lookup.agent(call.session, request.id) if request.id else call.caller
    if owner.number != call.caller.number and not call.caller.is_operator:
        told = "only the mailbox's own agent and the operator may see who has read it"
        raise foreign.denied(call, owner, told, "NOT_YOUR_MAILBOX")
    cursors = call.office.cursors
    scope = (call.caller.id, "reads", owner.id)
    before = cursors.read(request.pagination.cursor, *scope)
    limit = page_limit(request.pagination.limit)
    found = call.session.reads(owner.number, before=before, limit=limit + 1)
    for_operator = call.caller.is_operator
    response = ListMailboxReadsResponse(
        reads=[read_message(read, for_operator=for_operator) for read in found[:limit]]
    )
    if len(found) > limit:
        response.next_page_token = cursors.write(found[limit - 1].number, *scope)
    return response
