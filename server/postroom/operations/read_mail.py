"""ReadMail: claim the caller's own waiting mail, oldest first."""

from agent.v1.agent_service_pb2 import ReadMailRequest, ReadMailResponse
from postroom.office import Call
from postroom.page import page_limit
from postroom.rpc.messages import fitting
from postroom.rpc.messages import read_mail as response_of


def read_mail(call: Call, request: ReadMailRequest) -> ReadMailResponse:
    """Return the oldest waiting mail and mark it claimed; only what is returned is."""
    (caller,) = call.session.lock(call.caller)
    limit = page_limit(request.limit)
    found = call.session.waiting(caller, limit=limit, now=call.now)
    taken = [piece._replace(claimed_at=call.now) for piece in fitting(found, limit)]
    response = response_of(taken)
    response.remaining = call.session.claim(caller, taken, call.now) if taken else 0
    return response
