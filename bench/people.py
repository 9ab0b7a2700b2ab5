"""Agents and mail to measure with, made through the post room itself."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from bench.given import settings
from postroom.agent import Agent
from postroom.assemble import PostRoom, assemble
from postroom.instant import DAY
from postroom.mail import ID_PREFIX, Mail, MailKind
from postroom.ports import Session
from postroom.rpc.door import Incoming, Outgoing
from postroom.rpc.identity import AGENT_ID
from postroom.rpc.messages import mail_message

BODY = "x" * 200
_AT_ONCE = 5_000


@contextmanager
def room(database: str, archive: str = "messages") -> Iterator[PostRoom]:
    """A post room in this process, beside the server's."""
    opened = assemble(settings(database, archive))
    try:
        yield opened
    finally:
        opened.office.store.close()


async def call(room: PostRoom, method: str, caller: str = "", **fields: Any) -> Any:
    """Call an operation as an agent, or as the operator."""
    spec = next(spec for spec in room.door.specs if spec.name == method)
    metadata = ((AGENT_ID, caller),) if caller else ()
    request = spec.request_class(**fields)
    return await room.door.call(spec, request, Incoming(metadata), Outgoing())


def make_agents(room: PostRoom, role: str, count: int) -> list[str]:
    """Make agents whose names are all of one length; returns their ids."""

    async def make() -> list[str]:
        names = [f"{role}-{i:04}" for i in range(count)]
        calls = (call(room, "CreateAgent", name=name, workflow="bench") for name in names)
        return [made.agent.id for made in await asyncio.gather(*calls)]

    return asyncio.run(make())


def fill(room: PostRoom, owners: Sequence[str], each: int, senders: Sequence[str] = ()) -> None:
    """Put `each` pieces into each mailbox, from the senders or from one another."""
    rounds = max(1, _AT_ONCE // len(owners))
    for begun in range(0, each, rounds):
        turns = range(begun, min(begun + rounds, each))
        room.office.store.write(partial(_fill, room, owners, senders or owners, turns))


def _fill(
    room: PostRoom, owners: Sequence[str], senders: Sequence[str], turns: range, session: Session
) -> None:
    by_id = {id: _agent(session, id) for id in (*owners, *senders)}
    session.lock(*by_id.values())
    for turn in turns:
        for at, owner in enumerate(owners):
            sender = by_id[senders[(at + 1 + turn % max(1, len(senders) - 1)) % len(senders)]]
            mail = piece(room, sender, by_id[owner])
            session.deliver(mail, mail_message(mail).SerializeToString(), counted=False)


def claim(room: PostRoom, owners: Sequence[str], each: int) -> None:
    """Claim the oldest `each` pieces of each mailbox."""

    async def read() -> None:
        await asyncio.gather(*(call(room, "ReadMail", owner, limit=each) for owner in owners))

    asyncio.run(read())


def piece(room: PostRoom, sender: Agent, recipient: Agent) -> Mail:
    """Plain mail as SendMail makes it."""
    now = room.office.clock.now()
    return Mail(
        id=room.office.ids.new(ID_PREFIX),
        sender=sender.number,
        from_agent_id=sender.id,
        from_name=sender.name,
        recipient=recipient.number,
        to_agent_id=recipient.id,
        body=BODY,
        reply_to=None,
        created_at=now,
        expires_at=now + 7 * DAY,
        kind=MailKind.PLAIN,
    )


def _agent(session: Session, id: str) -> Agent:
    found = session.agent(id)
    assert found is not None
    return found
