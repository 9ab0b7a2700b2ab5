"""Rebuilding a database from archives: the same ids, names, threads and texts.

What no archive holds cannot come back, and is told: tokens, contacts, read marks, the record
of foreign reads, and agents that never took part in a message. Mail whose read mark is lost
waits again, since twice is better than never.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from postroom import exchange
from postroom.agent import Agent
from postroom.archive.filed_mail import FiledMail
from postroom.archive.letters import Letters
from postroom.archive.people import People
from postroom.archive.rebuilding import Tally, Tools
from postroom.archive.recovered import Archived, Whole
from postroom.attachment import Attachment, StoredFile
from postroom.mail import Mail, MailKind
from postroom.ports import Session
from postroom.workflow import Workflow

_TOGETHER = 100


class Rebuilding:
    """Stores what archives tell, into an empty database."""

    def __init__(self, tools: Tools) -> None:
        self.tally = Tally()
        self._tools = tools
        self._people = People(tools, self.tally)

    def rebuild(self, archives: Sequence[Archived]) -> Tally:
        """Store everything: first everybody, since mail may cross projects, then all pieces."""
        for archived in archives:
            self._people.settle(archived)
        for archived in archives:
            workflow = self._people.workflows[archived.project.id]
            self._messages(archived, workflow)
            self._mails(archived)
            self.tally.lost += archived.lost
        return self.tally

    def _messages(self, archived: Archived, workflow: Workflow) -> None:
        for ids in _chunks(archived.in_order(archived.messages)):
            wholes = [whole for id in ids if (whole := archived.whole(id))]
            for whole in wholes:
                self._people.meet(whole, workflow)
                self._attachments(archived, workflow, whole)
            letters = Letters(self._tools, self._people, workflow, self.tally)
            self._tools.store.write(partial(letters.store, wholes))
            self.tally.messages += len(wholes)

    def _mails(self, archived: Archived) -> None:
        for ids in _chunks(archived.in_order(archived.mails)):
            mails = [mail for id in ids if (mail := archived.mail(id))]
            self.tally.mails += self._tools.store.write(partial(self._store_mails, mails))

    def _store_mails(self, mails: Sequence[FiledMail], session: Session) -> int:
        known = [pair for mail in mails if (pair := self._people.pair(session, mail))]
        if known:
            session.lock(*{agent.id: agent for pair in known for agent in pair}.values())
        stored = 0
        for mail in mails:
            pair = self._people.pair(session, mail)
            if pair and session.parties(mail.id) is None:
                sender, recipient = pair
                made = _mail_of(mail, sender, recipient)
                counted = exchange.is_limited(sender, recipient)
                session.deliver(made, self._tools.wire(made), counted=counted)
                stored += 1
        return stored

    def _attachments(self, archived: Archived, workflow: Workflow, whole: Whole) -> None:
        for attachment in whole.letter.attachments:
            if attachment.sha256 and (file := self._file(archived, attachment)):
                at = whole.letter.created_at
                keep = partial(_keep, workflow.number, file, at)
                self.tally.attachments += self._tools.store.write(keep)

    def _file(self, archived: Archived, attachment: Attachment) -> StoredFile | None:
        content = archived.attached(attachment)
        if content is None:
            self.tally.lost.append(f"the attachment {attachment.sha256}")
            return None
        return StoredFile(
            sha256=attachment.sha256,
            media_type=attachment.media_type,
            width=attachment.width,
            height=attachment.height,
            data=content,
        )


def _keep(workflow: int, file: StoredFile, at: int, session: Session) -> bool:
    if session.file(workflow, file.sha256):
        return False
    session.keep_file(workflow, file, at)
    return True


def _mail_of(filed: FiledMail, sender: Agent, recipient: Agent) -> Mail:
    return Mail(
        id=filed.id,
        sender=sender.number,
        from_agent_id=sender.id,
        from_name=filed.sender,
        recipient=recipient.number,
        to_agent_id=recipient.id,
        body=filed.body,
        reply_to=filed.reply_to,
        created_at=filed.created_at,
        expires_at=filed.expires_at,
        kind=MailKind[filed.kind.upper()],
    )


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _TOGETHER):
        yield ids[start : start + _TOGETHER]
