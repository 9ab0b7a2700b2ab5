"""FetchInbox: the messages that an agent got, newest first, without marking them."""

from agent.v1.message_service_pb2 import FetchInboxRequest, FetchInboxResponse
from postroom.instant import instant_of
from postroom.message import Message
from postroom.message_ports import Inbox
from postroom.messaging import draft, reading, speaking
from postroom.office import Call
from postroom.rpc.message_values import message_value


def fetch_inbox(call: Call, request: FetchInboxRequest) -> FetchInboxResponse:
    """Return one page of the copies that have not expired."""
    draft.check_tag("topic", request.topic)
    since = instant_of(request.since_ts, "since_ts") if request.since_ts else None
    project, name = speaking.located(call, request.project_key, request.agent_name)
    agent = speaking.reader(call, project, name)
    wanted = Inbox(
        topic=request.topic,
        urgent_only=request.urgent_only,
        unread_only=request.unread_only,
        since=since,
    )

    def number(one: Message) -> int:
        own = one.participant(agent.number)
        assert own is not None
        return own.received_number or 0

    listing = reading.Listing(
        scope=("inbox", agent.id, repr(wanted)),
        fetch=lambda before, limit: call.session.inbox(
            agent.number, wanted, before=before, limit=limit, now=call.now
        ),
        show=lambda one: message_value(one, agent.number, with_body=request.include_bodies),
        number=number,
    )
    shown, token = listing.page(call, request.pagination)
    return FetchInboxResponse(messages=shown, next_page_token=token)
