"""A project with agents in it, and calls about it, each as somebody."""

from collections.abc import Callable
from functools import partial
from typing import Any

from agent.v1.agent_pb2 import Agent
from agent.v1.mail_pb2 import MAIL_KIND_CONTACT_REQUEST, Mail
from agent.v1.message_pb2 import Contact
from postroom.errors import Refusal
from postroom.storage.store import Store
from tests.operations.tables import Contents, contents
from tests.room import Room, refused

KEY = "/abs/path/backend"
# The ids of two sessions of callers, which must be long.
SESSION, OTHER_SESSION = "s" * 32, "t" * 32

_RECORD = ("MailboxReadRow", "MailboxReadChainRow")


class Project:
    """Calls of one project. `as_` is the caller's id; empty, the caller names nobody."""

    def __init__(self, room: Room, key: str = KEY) -> None:
        self.room = room
        self.key = key
        room.call("EnsureProject", project_key=key)

    def call(self, method: str, as_: Any = "", **fields: Any) -> Any:
        """Answer one request about the project."""
        return self.room.call(method, as_, **{"project_key": self.key} | fields)

    def register(self, name: str, policy: str = "open", **fields: Any) -> Agent:
        """Make an agent that takes messages from everybody, unless told otherwise."""
        made: Agent = self.call("RegisterAgent", name=name, contact_policy=policy, **fields).agent
        return made

    def agents(self, *names: str, policy: str = "open") -> list[Agent]:
        """Make several."""
        return [self.register(name, policy) for name in names]

    def child(self, name: str, parent: Agent) -> Agent:
        """Make an open agent with a parent."""
        made = self.room.agent(name, self.key, parent_id=parent.id)
        self.call("SetContactPolicy", agent_name=name, policy="open")
        return made

    def archive(self, agent: Agent) -> None:
        """End an agent."""
        self.room.call("ArchiveAgent", id=agent.id)

    def send(self, sender: str, *to: str, as_: Any = "", **fields: Any) -> Any:
        """Send a message with a subject and a body unless told otherwise."""
        given = {"subject": "plan", "body_md": "see below"} | fields
        return self.call("SendMessage", as_, **{"sender_name": sender, "to": to} | given)

    def message(self, sender: str, *to: str, **fields: Any) -> Any:
        """Send one and return it as its sender sees it."""
        (delivery,) = self.send(sender, *to, **fields).deliveries
        return delivery.payload

    def reply(self, sender: str, message_id: str, body: Any = "yes", **fields: Any) -> Any:
        """Answer a message and return the answer."""
        answer = self.call(
            "ReplyMessage", sender_name=sender, message_id=message_id, body_md=body, **fields
        )
        return answer.deliveries[0].payload

    def refusal(self, call: Callable[[], Any]) -> Refusal:
        """The refusal that a call ends with, which has stored nothing."""
        before = self.stored()
        refusal = refused(call)
        assert self.stored() == before
        return refusal

    def stored(self) -> Contents:
        """Every row of every table but the record of looks, which has refused ones too."""
        store = self.room.office.store
        assert isinstance(store, Store)
        found = contents(store)
        return {name: rows for name, rows in found.items() if name not in _RECORD}

    def unsent(self, sender: str, *to: str, **fields: Any) -> Refusal:
        """The refusal of a message, which has stored nothing."""
        return self.refusal(partial(self.send, sender, *to, **fields))

    def inbox(self, agent: str, **fields: Any) -> list[Any]:
        """The first page of an agent's messages, with their bodies."""
        given = {"include_bodies": True} | fields
        return list(self.call("FetchInbox", agent_name=agent, **given).messages)

    def ids(self, agent: str, **fields: Any) -> list[str]:
        """The ids of them."""
        return [one.id for one in self.inbox(agent, **fields)]

    def found(self, agent: str, query: str) -> list[str]:
        """The ids of the messages that a search finds."""
        answer = self.call("SearchMessages", agent_name=agent, query=query)
        return [one.id for one in answer.messages]

    def ask(self, requester: str, target: str, **fields: Any) -> Contact:
        """Ask for contact."""
        asked: Contact = self.call(
            "RequestContact", from_agent=requester, to_agent=target, **fields
        ).contact
        return asked

    def respond(self, target: str, requester: str, *, accept: bool, **fields: Any) -> Contact:
        """Answer a request for contact."""
        answered: Contact = self.call(
            "RespondContact", to_agent=target, from_agent=requester, accept=accept, **fields
        ).contact
        return answered

    def approve(self, requester: str, target: str, **fields: Any) -> Contact:
        """Ask for contact and have it approved."""
        self.ask(requester, target)
        return self.respond(target, requester, accept=True, **fields)

    def contacts(self, agent: str) -> list[Contact]:
        """The first page of an agent's contacts."""
        return list(self.call("ListContacts", agent_name=agent).contacts)

    def requests(self, agent: Agent) -> list[Mail]:
        """The notices that ask an agent for contact, newest first."""
        mail = self.room.received(agent.id)
        return [each for each in mail if each.kind == MAIL_KIND_CONTACT_REQUEST]
