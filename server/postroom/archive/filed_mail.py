"""Plain mail as a Markdown file, for where all mail is archived. Pure, and read back exactly."""

from dataclasses import dataclass

from postroom.archive import frontmatter
from postroom.archive.facts import Reader
from postroom.archive.frontmatter import Unreadable
from postroom.instant import rfc3339

TYPE = "mail"


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledMail:
    """A piece of mail that is no copy of a message. A notice has no sender's id."""

    id: str
    project_key: str
    project_id: str
    sender: str
    sender_id: str | None
    recipient: str
    recipient_id: str
    reply_to: str | None
    kind: str
    created_at: int
    expires_at: int
    body: str

    def written(self) -> bytes:
        """The file's content."""
        return frontmatter.written(
            {
                "type": TYPE,
                "id": self.id,
                "project_key": self.project_key,
                "project_id": self.project_id,
                "from": self.sender,
                "from_agent_id": self.sender_id,
                "to": self.recipient,
                "to_agent_id": self.recipient_id,
                "reply_to": self.reply_to,
                "kind": self.kind,
                "created_at": rfc3339(self.created_at),
                "expires_at": rfc3339(self.expires_at),
            },
            self.body,
        )


def read(content: bytes) -> FiledMail:
    """The piece that a file holds. Raises Unreadable for any other file."""
    facts, body = frontmatter.read(content)
    reader = Reader(facts)
    piece = FiledMail(
        id=reader.text("id"),
        project_key=reader.text("project_key"),
        project_id=reader.text("project_id"),
        sender=reader.text("from"),
        sender_id=reader.optional("from_agent_id"),
        recipient=reader.text("to"),
        recipient_id=reader.text("to_agent_id"),
        reply_to=reader.optional("reply_to"),
        kind=reader.text("kind"),
        created_at=reader.instant("created_at"),
        expires_at=reader.instant("expires_at"),
        body=body,
    )
    if piece.written() != content:
        raise Unreadable("it was not written by the post room in this form")
    return piece
