"""SearchMessages: what an agent sent and got that holds certain words."""

from collections.abc import Sequence

from agent.v1.message_service_pb2 import SearchMessagesRequest, SearchMessagesResponse
from postroom import words
from postroom.message import Message
from postroom.messaging import reading, speaking
from postroom.office import Call
from postroom.rpc.message_values import message_value


def search_messages(call: Call, request: SearchMessagesRequest) -> SearchMessagesResponse:
    """Return one page of what was found; a query without a word finds nothing."""
    project = speaking.project(call, request.project_key)
    agent = speaking.reader(call, project, request.agent_name)
    terms = words.terms(request.query)

    def fetch(before: int | None, limit: int) -> Sequence[Message]:
        if not terms:
            return []
        return call.session.found(agent.number, project.number, terms, before=before, limit=limit)

    listing = reading.Listing(
        scope=("search", agent.id, request.query),
        fetch=fetch,
        show=lambda one: message_value(
            one,
            agent.number,
            with_body=False,
            snippet=words.snippet(f"{one.subject}: {one.body_md}", terms),
        ),
        number=lambda one: one.number,
    )
    shown, token = listing.page(call, request.pagination)
    return SearchMessagesResponse(messages=shown, next_page_token=token)
