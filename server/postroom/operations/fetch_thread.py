"""FetchThread: what the caller sent and got in a thread, newest first."""

from functools import partial

from agent.v1.message_service_pb2 import FetchThreadRequest, FetchThreadResponse
from postroom import lookup
from postroom.errors import NotFound, invalid, quoted
from postroom.messaging import reading, speaking
from postroom.office import Call
from postroom.rpc.message_values import message_value
from postroom.workflow import Workflow


def fetch_thread(call: Call, request: FetchThreadRequest) -> FetchThreadResponse:
    """Return one page of a thread's messages. Raises NotFound when there are none."""
    project = _project(call, request.project_key)
    viewer = None if call.caller.is_operator else call.caller.number

    listing = reading.Listing(
        scope=("thread", project.id, request.thread_id),
        fetch=lambda before, limit: call.session.thread(
            viewer, project.number, request.thread_id, before=before, limit=limit
        ),
        show=lambda one: message_value(one, viewer, with_body=request.include_bodies),
        number=lambda one: one.number,
        note=partial(reading.record, call) if viewer is None else None,
    )
    shown, token = listing.page(call, request.pagination)
    if not shown and not request.pagination.cursor:
        told = f"you neither sent nor got a message in a thread {quoted(request.thread_id)}"
        raise NotFound("thread", request.thread_id, told)
    return FetchThreadResponse(messages=shown, next_page_token=token)


def _project(call: Call, key: str) -> Workflow:
    if key:
        return speaking.project(call, key)
    if call.caller.is_operator:
        raise invalid("project_key", "is required from the operator, who is in no project")
    return lookup.workflow(call.session, call.caller.workflow_id)
