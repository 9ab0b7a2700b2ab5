"""What sending a message answers."""

from typing import TypeVar

from agent.v1.message_pb2 import BroadcastSkip, Delivery
from agent.v1.message_service_pb2 import ReplyMessageResponse, SendMessageResponse
from postroom.agent import Agent
from postroom.messaging.posting import Sent
from postroom.rpc.message_values import message_value
from postroom.workflow import Workflow

Response = TypeVar("Response", SendMessageResponse, ReplyMessageResponse)


def response(made: type[Response], project: Workflow, sender: Agent, sent: Sent) -> Response:
    """One delivery, as the sender sees it, and whom a broadcast passed over."""
    payload = message_value(sent.message, sender.number)
    deliveries = [Delivery(project=project.key, payload=payload)]
    skipped = [BroadcastSkip(agent=name, reason=reason) for name, reason in sent.skipped]
    return made(deliveries=deliveries, count=len(deliveries), broadcast_skipped=skipped)
