"""Which files a message or a piece of mail makes, and what stands in them. Pure.

A hidden recipient (bcc) is named in two files only: the sender's outbox copy, which names
all of them, and that recipient's own inbox copy, which names it alone.
"""

from collections.abc import Iterator

from postroom.archive import paths
from postroom.archive.filed_mail import FiledMail
from postroom.archive.letter import Copy, Letter
from postroom.attachment import Attachment
from postroom.message import Message, Part, Participant

File = tuple[str, bytes]


def files_of_message(message: Message, project_id: str) -> Iterator[File]:
    """The canonical file, the sender's copy, and each recipient's; attachments stand apart."""
    for path, letter in letters(message, project_id):
        yield path, letter.written()


def letters(message: Message, project_id: str) -> Iterator[tuple[str, Letter]]:
    """The same before it is written."""

    def seen_by(viewer: Participant | None) -> Letter:
        shown = message.seen_by(viewer.agent if viewer else None)
        return _letter(shown, project_id, viewer)

    def placed(folder: str) -> str:
        return paths.dated(folder, message.created_at, message.id)

    yield placed(paths.MESSAGES), seen_by(None)
    sender = message.sender
    yield placed(paths.box(sender.name, paths.OUTBOX)), seen_by(sender)
    for recipient in message.recipients:
        yield placed(paths.box(recipient.name, paths.INBOX)), seen_by(recipient)


def attached(message: Message) -> Iterator[tuple[str, Attachment]]:
    """The path of each stored attachment of a message."""
    for attachment in message.attachments:
        if attachment.sha256:
            yield paths.attachment(attachment.sha256, attachment.media_type), attachment


def files_of_mail(mail: FiledMail, members: frozenset[str]) -> Iterator[File]:
    """The file of a piece, and its copies in the boxes of those ids that are `members`."""
    content = mail.written()
    folders = [paths.PIECES]
    if mail.sender_id in members:
        folders.append(paths.box(mail.sender, paths.OUTBOX))
    if mail.recipient_id in members:
        folders.append(paths.box(mail.recipient, paths.INBOX))
    for folder in folders:
        yield paths.dated(folder, mail.created_at, mail.id), content


def _letter(shown: Message, project_id: str, viewer: Participant | None) -> Letter:
    return Letter(
        id=shown.id,
        project_key=shown.project_key,
        project_id=project_id,
        thread_id=shown.thread_id,
        reply_to=shown.reply_to,
        sender=shown.sender.name,
        to=tuple(shown.names(Part.TO)),
        cc=tuple(shown.names(Part.CC)),
        bcc=tuple(shown.names(Part.BCC)),
        subject=shown.subject,
        importance=shown.importance,
        ack_required=shown.ack_required,
        topic=shown.topic,
        created_at=shown.created_at,
        attachments=shown.attachments,
        agent_ids={one.name: one.agent_id for one in shown.participants},
        copy=_copy(viewer),
        body_md=shown.body_md,
    )


def _copy(viewer: Participant | None) -> Copy | None:
    if viewer is None or viewer.mail_id is None:
        return None
    return Copy(mailbox=viewer.name, kind=viewer.part.word, mail_id=viewer.mail_id)
