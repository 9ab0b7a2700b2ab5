"""A post room to test: every call goes through the door that surfaces use."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from google.protobuf.message import Message

from agent.v1.agent_pb2 import Agent
from agent.v1.mail_pb2 import Mail
from postroom.errors import Refusal
from postroom.ids import TimeOrderedIds
from postroom.office import Limits, Messaging, Office
from postroom.page import Cursors
from postroom.ports import Clock, Ids, Store, Watches
from postroom.rpc import contract
from postroom.rpc.door import Incoming, Outgoing
from postroom.rpc.methods import Registry

CONTRACT = contract.load()


class Room:
    """Calls operations by name, as somebody."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        ids: Ids | None = None,
        limits: Limits | None = None,
        *,
        watches: Watches | None = None,
        trusted: bool = True,
        foreign_reads: bool = True,
        messaging: Messaging | None = None,
    ) -> None:
        self.office = Office(
            store=store,
            clock=clock,
            ids=ids or TimeOrderedIds(clock),
            cursors=Cursors(store.cursor_key),
            limits=limits or Limits(),
            messaging=messaging or Messaging(),
            watches=watches,
            foreign_reads=foreign_reads,
        )
        self.registry = Registry(self.office, CONTRACT, trusted=trusted)
        self._specs = {spec.name: spec for spec in CONTRACT.specs}
        self._runner = asyncio.Runner()

    def limited(self, messaging: Messaging | None = None, /, **figures: int) -> "Room":
        """The same post room with other limits; close only the first."""
        office = self.office
        limits = Limits(**figures)
        return Room(office.store, office.clock, office.ids, limits, messaging=messaging)

    def call(self, method: str, as_: str = "", **fields: Any) -> Any:
        """Answer one request; `as_` is the caller's id, the operator when empty.

        `within`, if it is given, is the id of the caller's session.
        """
        return self._runner.run(self.begin(method, as_, **fields))

    async def begin(self, method: str, as_: str = "", **fields: Any) -> Message:
        """The same for a test that runs a loop of its own."""
        incoming = _incoming(as_)._replace(session=fields.pop("within", ""))
        spec = self._specs[method]
        request = spec.request_class(**fields)
        return await self.registry.call(spec, request, incoming, Outgoing())

    def stream(self, method: str, as_: str = "", **fields: Any) -> AsyncIterator[Any]:
        """Answer one request with messages, on a loop of the test's own."""
        spec = self._specs[method]
        request = spec.request_class(**fields)
        return self.registry.stream(spec, request, _incoming(as_), Outgoing())

    def agent(self, name: str, workflow: str = "main", **fields: Any) -> Agent:
        """Make an agent as the operator."""
        agent: Agent = self.call("CreateAgent", name=name, workflow=workflow, **fields).agent
        return agent

    def send(self, sender: str, to: str, body: str = "hello", **fields: Any) -> Mail:
        """Send one piece and return it."""
        mail: Mail = self.call("SendMail", sender, to=to, body=body, **fields).mail
        return mail

    def received(self, agent: str, **fields: Any) -> list[Mail]:
        """The first page of an agent's own mailbox."""
        return list(self.call("ListMail", agent, **fields).mail)

    def close(self) -> None:
        """Let go of the loop; the store stays open."""
        self._runner.close()


def _incoming(as_: str) -> Incoming:
    """What a caller gives: an id, or a token, which nobody takes for an id."""
    if as_.startswith(("prt_", "pro_")):
        return Incoming((("authorization", f"Bearer {as_}"),))
    return Incoming((("postroom-agent-id", as_),) if as_ else ())


def refused(call: Callable[[], Any]) -> Refusal:
    """The refusal that a call ends with; fails the test when it succeeds."""
    try:
        answer = call()
    except Refusal as refusal:
        return refusal
    raise AssertionError(f"was not refused: {answer}")
