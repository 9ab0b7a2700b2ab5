"""RaiseReviewActivity: tell agents that a review has moved."""

from agent.v1.agent_service_pb2 import RaiseReviewActivityRequest, RaiseReviewActivityResponse
from postroom import lookup
from postroom.mail import MailKind
from postroom.messaging import notices
from postroom.office import Call
from postroom.operators import operator_only


def raise_review_activity(
    call: Call, request: RaiseReviewActivityRequest
) -> RaiseReviewActivityResponse:
    """Raise one notice for each agent named, all or none."""
    operator_only(call, "raise review notices")
    ids = dict.fromkeys(request.agent_ids)
    named = [lookup.agent(call.session, id) for id in ids]
    agents = call.session.lock(*named, call.caller)[: len(named)]
    for agent in agents:
        agent.must_accept_mail()
    text = f"The review {request.review} has moved. Its comments are in {request.file}."
    response = RaiseReviewActivityResponse()
    for agent in agents:
        notice = call.notice(agent, MailKind.REVIEW_ACTIVITY, text)
        response.mail.append(notices.deliver(call, notice))
    return response
