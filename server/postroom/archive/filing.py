"""What the database has for entries of the outbox, ready to become files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from postroom.agent import Agent
from postroom.archive import layout, paths, profile
from postroom.archive.filed_mail import FiledMail
from postroom.archive.layout import File
from postroom.attachment import Attachment
from postroom.errors import Code, StoreRefusal
from postroom.mail import ID_PREFIX as MAIL_PREFIX
from postroom.mail import Mail
from postroom.message import Message, Part
from postroom.message_ports import OutboxEntry
from postroom.ports import Session
from postroom.workflow import Workflow

# Reads a mail back from its stored form.
Unwire = Callable[[bytes], Mail]


@dataclass(frozen=True, slots=True)
class Subject:
    """One entry with what it stands for, and everybody whom it names."""

    entry: OutboxEntry
    content: Message | FiledMail
    project: Workflow
    agents: dict[int, Agent]

    @property
    def created_at(self) -> int:
        """When it was sent."""
        return self.content.created_at

    @property
    def is_message(self) -> bool:
        """Whether it is a message, not plain mail."""
        return isinstance(self.content, Message)

    @property
    def hidden(self) -> frozenset[int]:
        """The numbers of the hidden recipients."""
        if not isinstance(self.content, Message):
            return frozenset()
        people = self.content.recipients
        return frozenset(one.agent for one in people if one.part is Part.BCC)

    def files(self) -> Iterator[File]:
        """All its files, but for the content of attachments."""
        yield paths.PROJECT, profile.of_project(self.project)
        members = [one for one in self.agents.values() if one.workflow == self.project.number]
        for one in members:
            # The profile of a hidden recipient would name it beside the message.
            if one.number not in self.hidden:
                yield paths.profile(one.id), profile.of_agent(one)
        if isinstance(self.content, Message):
            yield from layout.files_of_message(self.content, self.project.id)
        else:
            yield from layout.files_of_mail(self.content, frozenset(one.id for one in members))

    def attached(self) -> Iterator[tuple[str, Attachment]]:
        """The path of each stored attachment."""
        if isinstance(self.content, Message):
            yield from layout.attached(self.content)


@dataclass(slots=True)
class Found:
    """What a look into the database brought."""

    subjects: list[Subject] = field(default_factory=list)
    # Nothing is there for them: there is nothing to take.
    gone: list[OutboxEntry] = field(default_factory=list)
    # What they stand for is damaged in the database.
    damaged: list[OutboxEntry] = field(default_factory=list)


class Lookup:
    """Looks up what entries stand for, in one session; asks for each agent once."""

    def __init__(self, session: Session, unwire: Unwire) -> None:
        self._session = session
        self._unwire = unwire
        self._agents: dict[int, Agent | None] = {}

    def all(self, project: Workflow, entries: Iterable[OutboxEntry]) -> Found:
        """What there is for the entries of a project."""
        found = Found()
        for entry in entries:
            try:
                subject = self.one(project, entry)
            except StoreRefusal as refusal:
                if refusal.code is not Code.DATA_LOSS:
                    raise
                found.damaged.append(entry)
                continue
            if subject is None:
                found.gone.append(entry)
            else:
                found.subjects.append(subject)
        return found

    def one(self, project: Workflow, entry: OutboxEntry) -> Subject | None:
        """What one entry stands for; None when there is nothing."""
        if entry.id.startswith(MAIL_PREFIX):
            return self._mail(project, entry)
        message = self._session.message(entry.id)
        if message is None:
            return None
        agents = self._known([one.agent for one in message.participants])
        return Subject(entry, message, project, agents)

    def _mail(self, project: Workflow, entry: OutboxEntry) -> Subject | None:
        parties = self._session.parties(entry.id)
        piece = self._session.piece(entry.id)
        if parties is None or piece is None:
            return None
        agents = self._known([n for n in parties if n is not None])
        mail = self._unwire(piece[1])
        filed = _filed(project, mail, agents[parties.recipient].name)
        return Subject(entry, filed, project, agents)

    def _known(self, numbers: Sequence[int]) -> dict[int, Agent]:
        """These agents, and the agents above them."""
        known: dict[int, Agent] = {}
        wanted = list(numbers)
        while wanted:
            number = wanted.pop()
            agent = self._agent(number)
            if agent and number not in known:
                known[number] = agent
                wanted += [agent.parent] if agent.parent is not None else []
        return known

    def _agent(self, number: int) -> Agent | None:
        if number not in self._agents:
            self._agents[number] = self._session.agent_numbered(number)
        return self._agents[number]


def _filed(project: Workflow, mail: Mail, recipient: str) -> FiledMail:
    return FiledMail(
        id=mail.id,
        project_key=project.key,
        project_id=project.id,
        sender=mail.from_name,
        sender_id=mail.from_agent_id,
        recipient=recipient,
        recipient_id=mail.to_agent_id,
        reply_to=mail.reply_to,
        kind=mail.kind.name.lower(),
        created_at=mail.created_at,
        expires_at=mail.expires_at,
        body=mail.body,
    )
