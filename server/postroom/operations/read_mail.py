"""ReadMail: claim the caller's own waiting mail, oldest first."""

from agent.v1.agent_service_pb2 import ReadMailRequest
from postroom.office import Call
from postroom.page import page_limit
from postroom.rpc import messages


def read_mail(call: Call, request: ReadMailRequest) -> bytes:
    """Return the oldest waiting mail and mark it claimed; only what is returned is."""
    (caller,) = call.session.lock(call.caller)
    limit = page_limit(request.limit)
    found = call.session.waiting(caller, limit=limit, now=call.now)
    fitting = messages.fitting(found, limit)
    taken = [(number, wire, call.now, checksum) for number, wire, _, checksum in fitting]
    remaining = call.session.claim(caller, taken, call.now) if taken else 0
    return messages.read_mail(taken, remaining)
