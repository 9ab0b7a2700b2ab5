"""A project of the message service: its agents through the door, its messages in bulk."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from bench import message_rows
from bench.people import call
from postroom.agent import Agent
from postroom.assemble import PostRoom
from postroom.instant import DAY
from postroom.mail import ID_PREFIX as MAIL_PREFIX
from postroom.mail import Mail, MailKind
from postroom.message import ID_PREFIX, Message, Part, Participant
from postroom.ports import Session
from postroom.rpc.messages import mail_message
from postroom.workflow import Workflow

SUBJECT = "what was measured"
_AT_ONCE = 5_000


@dataclass(frozen=True)
class Letter:
    """A message from one agent to another, both by their place in the project."""

    sender: int
    recipient: int
    body: str


@dataclass(frozen=True)
class Project:
    """A project and its agents, who take messages from everybody."""

    room: PostRoom
    workflow: Workflow
    agents: Sequence[Agent]

    def write(self, file: Path, letters: Iterable[Letter]) -> None:
        """Store in SQLite's file what SendMessage stores, thousands in one transaction.

        Mail goes through the session; messages do not, which takes a third of the time.
        """
        store = self.room.office.store
        archived_for = self.workflow.id if self.room.office.messaging.archives_messages else ""
        waiting = iter(letters)
        while batch := list(islice(waiting, _AT_ONCE)):
            messages = store.write(partial(self._deliver_all, batch))
            message_rows.write(file, messages, archived_for)

    def _deliver_all(self, batch: Sequence[Letter], session: Session) -> Sequence[Message]:
        agents = session.lock(*self.agents)
        return [self._deliver(session, letter, agents) for letter in batch]

    def _deliver(self, session: Session, letter: Letter, agents: Sequence[Agent]) -> Message:
        office = self.room.office
        id, now = office.ids.new(ID_PREFIX), office.clock.now()
        sender, recipient = agents[letter.sender], agents[letter.recipient]
        copy = Mail(
            id=office.ids.new(MAIL_PREFIX),
            sender=sender.number,
            from_agent_id=sender.id,
            from_name=sender.name,
            recipient=recipient.number,
            to_agent_id=recipient.id,
            body=letter.body,
            reply_to=None,
            created_at=now,
            expires_at=now + 7 * DAY,
            kind=MailKind.PLAIN,
            message_id=id,
        )
        number = session.deliver(copy, mail_message(copy).SerializeToString(), counted=True)
        reader = _participant(recipient, Part.TO, copy.id, number)
        return Message(
            id=id,
            workflow=self.workflow.number,
            project_key=self.workflow.key,
            thread_id=id,
            reply_to=None,
            subject=SUBJECT,
            body_md=letter.body,
            importance="normal",
            ack_required=False,
            topic="",
            created_at=now,
            participants=(_participant(sender, Part.SENDER), reader),
        )


def make_project(room: PostRoom, key: str, count: int) -> Project:
    """Make a project of so many agents, whose names are all of one length."""
    names = [f"writer-{i:04}" for i in range(count)]

    async def make() -> None:
        await call(room, "EnsureProject", project_key=key)
        common = {"project_key": key, "contact_policy": "open"}
        await asyncio.gather(*(call(room, "RegisterAgent", name=name, **common) for name in names))

    def find(session: Session) -> Project:
        workflow = session.workflow(key)
        assert workflow is not None
        found = [session.live_agents_named(name, workflow.number)[0] for name in names]
        return Project(room, workflow, found)

    asyncio.run(make())
    return room.office.store.read(find)


def _participant(
    agent: Agent, part: Part, mail_id: str | None = None, number: int | None = None
) -> Participant:
    return Participant(
        agent=agent.number,
        agent_id=agent.id,
        name=agent.name,
        part=part,
        mail_id=mail_id,
        received_number=number,
    )
