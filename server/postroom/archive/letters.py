"""Messages as archives tell of them, stored again with each recipient's copy."""

from collections.abc import Sequence

from postroom.agent import Agent
from postroom.archive.people import People
from postroom.archive.rebuilding import Tally, Tools
from postroom.archive.recovered import Whole
from postroom.instant import SECOND
from postroom.mail import ID_PREFIX, Mail, MailKind
from postroom.message import Message, Part, Participant
from postroom.ports import Session
from postroom.workflow import Workflow


class Letters:
    """Stores messages of one project."""

    def __init__(self, tools: Tools, people: People, workflow: Workflow, tally: Tally) -> None:
        self._tools = tools
        self._people = people
        self._workflow = workflow
        self._tally = tally

    def store(self, wholes: Sequence[Whole], session: Session) -> None:
        """Store some messages, in one transaction."""
        ids = {id for whole in wholes for id in whole.agent_ids.values()}
        if ids:
            session.lock(*(self._people.agents[id] for id in sorted(ids)))
        for whole in wholes:
            self._store(whole, session)

    def _store(self, whole: Whole, session: Session) -> None:
        letter = whole.letter
        sender = self._people.agents[whole.agent_ids[letter.sender]]
        answered = session.message(letter.reply_to) if letter.reply_to else None
        me = Participant(
            agent=sender.number, agent_id=sender.id, name=sender.name, part=Part.SENDER
        )
        participants = [me]
        for part, names in ((Part.TO, letter.to), (Part.CC, letter.cc), (Part.BCC, whole.bcc)):
            for name in names:
                agent = self._people.agents[whole.agent_ids[name]]
                mail = self._copy(whole, sender, agent, answered)
                number = session.deliver(mail, self._tools.wire(mail), counted=True)
                participants.append(_recipient(agent, part, mail, number))
        session.add_message(self._message(whole, tuple(participants)))

    def _message(self, whole: Whole, participants: tuple[Participant, ...]) -> Message:
        letter = whole.letter
        return Message(
            id=letter.id,
            workflow=self._workflow.number,
            project_key=self._workflow.key,
            thread_id=letter.thread_id,
            reply_to=letter.reply_to,
            subject=letter.subject,
            body_md=letter.body_md,
            importance=letter.importance,
            ack_required=letter.ack_required,
            topic=letter.topic,
            created_at=letter.created_at,
            participants=participants,
            attachments=letter.attachments,
        )

    def _copy(
        self, whole: Whole, sender: Agent, recipient: Agent, answered: Message | None
    ) -> Mail:
        letter, copy = whole.letter, whole.copies.get(recipient.name)
        if copy is None:
            self._tally.lost.append(
                f"the copy of {letter.id} for {recipient.name}: it has a new mail id"
            )
        reply_to = answered.piece_answered(sender.number, recipient.number) if answered else None
        return Mail(
            id=copy.mail_id if copy else self._tools.ids.new(ID_PREFIX),
            sender=sender.number,
            from_agent_id=sender.id,
            from_name=sender.name,
            recipient=recipient.number,
            to_agent_id=recipient.id,
            body=letter.body_md,
            reply_to=reply_to,
            created_at=letter.created_at,
            expires_at=letter.created_at + self._tools.mail_ttl * SECOND,
            kind=MailKind.PLAIN,
            message_id=letter.id,
        )


def _recipient(agent: Agent, part: Part, mail: Mail, number: int) -> Participant:
    return Participant(
        agent=agent.number,
        agent_id=agent.id,
        name=agent.name,
        part=part,
        mail_id=mail.id,
        received_number=number,
    )
