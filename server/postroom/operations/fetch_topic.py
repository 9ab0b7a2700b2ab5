"""FetchTopic: what an agent sent and got on a topic, newest first."""

from agent.v1.message_service_pb2 import FetchTopicRequest, FetchTopicResponse
from postroom.messaging import draft, reading, speaking
from postroom.office import Call
from postroom.rpc.message_values import message_value


def fetch_topic(call: Call, request: FetchTopicRequest) -> FetchTopicResponse:
    """Return one page of a topic's messages."""
    draft.check_tag("topic", request.topic)
    project = speaking.project(call, request.project_key)
    agent = speaking.reader(call, project, request.agent_name)
    listing = reading.Listing(
        scope=("topic", agent.id, request.topic),
        fetch=lambda before, limit: call.session.topic(
            agent.number, project.number, request.topic, before=before, limit=limit
        ),
        show=lambda one: message_value(one, agent.number, with_body=request.include_bodies),
        number=lambda one: one.number,
    )
    shown, token = listing.page(call, request.pagination)
    return FetchTopicResponse(messages=shown, next_page_token=token)
