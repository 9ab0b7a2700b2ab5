"""A project with agents in it, and calls about it, each as somebody."""

from typing import Any

from agent.v1.agent_pb2 import Agent
from agent.v1.message_pb2 import Contact, Message
from agent.v1.message_service_pb2 import SendMessageResponse
from tests.room import Room

KEY = "/abs/path/backend"


class Project:
    """Calls of one project. `as_` is the caller's id; empty, the caller names nobody."""

    def __init__(self, room: Room, key: str = KEY) -> None:
        self.room = room
        self.key = key
        room.call("EnsureProject", project_key=key)

    def call(self, method: str, as_: str = "", **fields: Any) -> Any:
        """Answer one request about the project."""
        return self.room.call(method, as_, project_key=self.key, **fields)

    def register(self, name: str, policy: str = "open", **fields: Any) -> Agent:
        """Make an agent that takes messages from everybody, unless told otherwise."""
        made: Agent = self.call("RegisterAgent", name=name, contact_policy=policy, **fields).agent
        return made

    def agents(self, *names: str, policy: str = "open") -> list[Agent]:
        """Make several."""
        return [self.register(name, policy) for name in names]

    def send(self, sender: str, *to: str, as_: str = "", **fields: Any) -> SendMessageResponse:
        """Send a message with a subject and a body unless told otherwise."""
        given = {"subject": "plan", "body_md": "see below"} | fields
        answer: SendMessageResponse = self.call(
            "SendMessage", as_, sender_name=sender, to=to, **given
        )
        return answer

    def message(self, sender: str, *to: str, **fields: Any) -> Message:
        """Send one and return it as its sender sees it."""
        (delivery,) = self.send(sender, *to, **fields).deliveries
        return delivery.payload

    def reply(self, sender: str, message_id: str, body: str = "yes", **fields: Any) -> Message:
        """Answer a message and return the answer."""
        answer = self.call(
            "ReplyMessage", sender_name=sender, message_id=message_id, body_md=body, **fields
        )
        payload: Message = answer.deliveries[0].payload
        return payload

    def inbox(self, agent: str, **fields: Any) -> list[Message]:
        """The first page of an agent's messages, with their bodies."""
        given = {"include_bodies": True} | fields
        return list(self.call("FetchInbox", agent_name=agent, **given).messages)

    def ids(self, agent: str, **fields: Any) -> list[str]:
        """The ids of them."""
        return [one.id for one in self.inbox(agent, **fields)]

    def approve(self, requester: str, target: str, **fields: Any) -> Contact:
        """Ask for contact and have it approved."""
        self.call("RequestContact", from_agent=requester, to_agent=target)
        answered: Contact = self.call(
            "RespondContact", to_agent=target, from_agent=requester, accept=True, **fields
        ).contact
        return answered
