"""RespondContact: approve or refuse a request for contact."""

from dataclasses import replace

from agent.v1.message_service_pb2 import RespondContactRequest, RespondContactResponse
from postroom import instant
from postroom.agent import Agent
from postroom.contact import Contact, ContactStatus
from postroom.errors import NotFound
from postroom.messaging import handshake, speaking
from postroom.office import Call
from postroom.rpc.message_values import contact_value


def respond_contact(call: Call, request: RespondContactRequest) -> RespondContactResponse:
    """Answer a request; an answer that was given can be changed."""
    project = speaking.project(call, request.project_key)
    target = speaking.speaker(call, project, request.to_agent)
    requester = speaking.other(call.session, project, target, "from_agent", request.from_agent)
    target, requester = call.session.lock(target, requester)
    known = call.session.contact(requester.number, target.number)
    if known is None or known.status_at(call.now) is ContactStatus.EXPIRED:
        raise _nothing_asked(requester)
    if request.accept:
        settled = handshake.approve(call, requester, target, "", request.ttl_seconds)
    else:
        settled = _refuse(call, known)
    speaking.acted(call, target)
    return RespondContactResponse(contact=contact_value(settled, call.now))


def _refuse(call: Call, known: Contact) -> Contact:
    """A refusal stands for as long as a request would have."""
    until = call.now + call.office.messaging.pending_contact * instant.SECOND
    handshake.settle(call, known)
    refused = replace(
        known,
        status=ContactStatus.REFUSED,
        updated_at=call.now,
        expires_at=until,
        notice=None,
        noticed_until=None,
    )
    call.session.keep_contact(refused)
    return refused


def _nothing_asked(requester: Agent) -> NotFound:
    told = f"{requester.name} has asked for no contact, or so long ago that the request has expired"
    return NotFound("contact", requester.name, f"{told}; it must ask again")
