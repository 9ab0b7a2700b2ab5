"""Letter: a message or one of its copies as a Markdown file. Pure, and read back exactly."""

from collections.abc import Mapping
from dataclasses import dataclass

from postroom.archive import frontmatter
from postroom.archive.facts import Reader, of_attachment
from postroom.archive.frontmatter import Unreadable, Value
from postroom.attachment import Attachment
from postroom.instant import rfc3339

TYPE = "message"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """Whose mailbox a copy is in, as which kind of recipient, and the id of that mail."""

    mailbox: str
    kind: str
    mail_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """What one file tells of a message.

    `agent_ids` are those of everybody whom the file names. `bcc` holds only whom its
    reader may see; `copy` is set in a recipient's own copy alone.
    """

    id: str
    project_key: str
    project_id: str
    thread_id: str
    reply_to: str | None
    sender: str
    to: tuple[str, ...]
    cc: tuple[str, ...]
    bcc: tuple[str, ...] = ()
    subject: str
    importance: str
    ack_required: bool
    topic: str
    created_at: int
    attachments: tuple[Attachment, ...]
    agent_ids: Mapping[str, str]
    copy: Copy | None = None
    body_md: str

    def written(self) -> bytes:
        """The file's content."""
        facts: dict[str, Value] = {
            "type": TYPE,
            "id": self.id,
            "project_key": self.project_key,
            "project_id": self.project_id,
            "thread_id": self.thread_id,
            "reply_to": self.reply_to,
            "from": self.sender,
            "to": self.to,
            "cc": self.cc,
        }
        # Even the word would tell that somebody is hidden, so it stands only where one is shown.
        if self.bcc:
            facts["bcc"] = self.bcc
        return frontmatter.written(facts | self._more(), self.body_md)

    def _more(self) -> dict[str, Value]:
        facts: dict[str, Value] = {
            "subject": self.subject,
            "importance": self.importance,
            "ack_required": self.ack_required,
            "topic": self.topic,
            "created_at": rfc3339(self.created_at),
            "attachments": [of_attachment(each) for each in self.attachments],
            "agent_ids": self.agent_ids,
        }
        if self.copy:
            facts |= {"mailbox": self.copy.mailbox, "kind": self.copy.kind}
            facts["mail_id"] = self.copy.mail_id
        return facts


def read(content: bytes) -> Letter:
    """The letter that a file holds. Raises Unreadable for any other file."""
    facts, body = frontmatter.read(content)
    reader = Reader(facts)
    letter = Letter(
        id=reader.text("id"),
        project_key=reader.text("project_key"),
        project_id=reader.text("project_id"),
        thread_id=reader.text("thread_id"),
        reply_to=reader.optional("reply_to"),
        sender=reader.text("from"),
        to=reader.texts("to"),
        cc=reader.texts("cc"),
        bcc=reader.texts("bcc"),
        subject=reader.text("subject"),
        importance=reader.text("importance"),
        ack_required=reader.flag("ack_required"),
        topic=reader.text("topic"),
        created_at=reader.instant("created_at"),
        attachments=reader.attachments(),
        agent_ids=reader.record("agent_ids"),
        copy=_copy(reader),
        body_md=body,
    )
    if letter.written() != content:
        raise Unreadable("it was not written by the post room in this form")
    return letter


def _copy(reader: Reader) -> Copy | None:
    if not reader.has("mail_id"):
        return None
    texts = (reader.text(name) for name in ("mailbox", "kind", "mail_id"))
    mailbox, kind, mail_id = texts
    return Copy(mailbox=mailbox, kind=kind, mail_id=mail_id)
