"""Send a draft: every check in order, then everything that a message is, in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass

from postroom.agent import Agent
from postroom.enclosure import Enclosed
from postroom.errors import QuotaSpent
from postroom.instant import DAY
from postroom.message import ID_PREFIX, Message, Part, Participant
from postroom.messaging import admission, handshake, recipients
from postroom.messaging.admission import Admission, Admitted
from postroom.messaging.draft import Draft
from postroom.messaging.notices import tell_capped
from postroom.messaging.recipients import Addressed
from postroom.office import Call
from postroom.rpc.messages import mail_message
from postroom.workflow import Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The message, and whom a broadcast passed over, by name, with the reason."""

    message: Message
    skipped: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """A draft on its way: from whom, in which project, with what, in answer to what.

    `carried` are those who get it because they take part in what it answers.
    """

    call: Call
    within: Workflow
    sender: Agent
    draft: Draft
    enclosed: Enclosed
    answers: Message | None = None
    carried: Sequence[Participant] = ()

    def send(self, *, asks: bool) -> Sent:
        """Store the message, its copies, its files and what the archive has to take.

        `asks` is whether recipients are asked for contact that they require. Raises what
        messages.md names, in its order; a refused call leaves nothing but such requests.
        """
        call = self.call
        addressed, retired = self._addressed()
        sender, *agents = call.session.lock(self.sender, *(one.agent for one in addressed))
        for agent in agents:
            agent.must_accept_mail()
        # As they are under the lock.
        left = [one._replace(agent=agent) for agent, one in zip(agents, addressed, strict=True)]
        let = Admission(left, dict.fromkeys(retired, "retired"))
        admission.by_family(sender, let)
        approvals = admission.by_contact(call, sender, let, asks=asks)
        let.must_reach_somebody()
        recipients.check_count(len(let.left))
        self._check_enclosed()
        admitted = admission.by_limits(call, sender, let)
        let.must_reach_somebody()
        for agent in approvals:
            seconds = call.office.messaging.in_session_contact
            handshake.approve(call, sender, agent, "", seconds)
        message = self._write(admitted)
        return Sent(message=message, skipped=sorted(let.skipped.items()))

    def _addressed(self) -> tuple[list[Addressed], list[str]]:
        session, within, sender = self.call.session, self.within, self.sender
        found = recipients.named(session, within, sender, self.draft.parts)
        recipients.check_same(found, self.carried)
        retired: list[str] = []
        if self.draft.broadcast:
            rest, retired = recipients.everybody(session, within, sender, self.draft.parts)
            found = [*rest, *found]
        return found, retired

    def _check_enclosed(self) -> None:
        if self.enclosed.refusal:
            raise self.enclosed.refusal
        call, sender = self.call, self.sender
        new = self.enclosed.new_bytes
        most = call.office.messaging.daily_attachments
        if new and call.session.sent_bytes(sender.number, call.now - DAY) + new > most:
            told = (
                f"you may send {most:,} bytes of new attachments in a day, and this message would "
                "pass that; send it without, or tomorrow. What was sent before counts for nothing "
                "as attachments/<sha256>.webp"
            )
            raise QuotaSpent(told, "ATTACHMENT_QUOTA", f"agent:{sender.id}", most)

    def _write(self, admitted: Sequence[Admitted]) -> Message:
        call, draft, answers = self.call, self.draft, self.answers
        id = call.new_id(ID_PREFIX)
        copies = [self._deliver(one, id) for one in admitted]
        message = Message(
            id=id,
            workflow=self.within.number,
            project_key=self.within.key,
            thread_id=draft.thread_id or (answers.thread_id if answers else id),
            reply_to=answers.id if answers else None,
            subject=draft.subject,
            body_md=self.enclosed.body_md,
            importance=draft.importance,
            ack_required=draft.ack_required,
            topic=draft.topic,
            created_at=call.now,
            participants=(self._me(), *sorted(copies, key=lambda one: one.part)),
            attachments=self.enclosed.attachments,
        )
        for file in self.enclosed.files:
            call.session.keep_file(self.within.number, file, call.now)
        if new := self.enclosed.new_bytes:
            call.session.count_upload(self.sender.number, new, call.now)
        call.session.add_message(message)
        if call.office.messaging.archives_messages:
            call.session.put_out(self.within.id, id, call.now)
        return message

    def _me(self) -> Participant:
        me = self.sender
        return Participant(agent=me.number, agent_id=me.id, name=me.name, part=Part.SENDER)

    def _deliver(self, one: Admitted, message_id: str) -> Participant:
        call, sender, recipient = self.call, self.sender, one.to.agent
        if one.waiting is not None:
            call.session.recount_waiting(recipient, one.waiting)
        copy = call.plain(
            sender, recipient, self.enclosed.body_md, self._answered(recipient), message_id
        )
        wire = mail_message(copy).SerializeToString()
        number = call.session.deliver(copy, wire, counted=True)
        if one.spends:
            tell_capped(call, sender, recipient)
        return Participant(
            agent=recipient.number,
            agent_id=recipient.id,
            name=recipient.name,
            part=one.to.part,
            mail_id=copy.id,
            received_number=number,
        )

    def _answered(self, recipient: Agent) -> str | None:
        if self.answers is None:
            return None
        return self.answers.piece_answered(self.sender.number, recipient.number)
