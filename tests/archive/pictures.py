"""Messages with images, put into the store as the attachments' own code would."""

import hashlib
from dataclasses import replace
from io import BytesIO

from PIL import Image

from postroom.attachment import Attachment, Mode, StoredFile, path_of
from postroom.cli.pictures import Pictures
from postroom.message import Message
from postroom.ports import Session, Store


def webp(shade: int = 0) -> bytes:
    """A small WebP image."""
    out = BytesIO()
    Image.new("RGB", (4, 3), (shade, 0, 0)).save(out, "WEBP", lossless=True)
    return out.getvalue()


def shows(content: bytes, media_type: str) -> bool:
    """Whether an image can be decoded, tried where the command line tries it."""
    with Pictures() as pictures:
        return pictures.shows(content, media_type)


def stored(content: bytes) -> StoredFile:
    """The image as the store keeps it."""
    sha256 = hashlib.sha256(content).hexdigest()
    return StoredFile(sha256=sha256, media_type="image/webp", width=4, height=3, data=content)


def enclose(store: Store, message_id: str, new_id: str, content: bytes) -> str:
    """Store a second message like a sent one, with an image; returns the image's path."""
    file = stored(content)
    attachment = Attachment(
        name="shot",
        mode=Mode.FILE,
        media_type=file.media_type,
        path=path_of(file.sha256),
        sha256=file.sha256,
        bytes=len(content),
        width=4,
        height=3,
    )

    def add(session: Session) -> None:
        sent = session.message(message_id)
        assert sent is not None
        workflow = session.workflow(sent.project_key)
        assert workflow is not None
        session.keep_file(workflow.number, file, sent.created_at)
        session.add_message(_like(sent, new_id, attachment))
        session.put_out(workflow.id, new_id, sent.created_at)

    store.write(add)
    return attachment.path


def _like(sent: Message, id: str, attachment: Attachment) -> Message:
    people = tuple(
        replace(one, mail_id=f"{one.mail_id}9", received_number=1000) if one.mail_id else one
        for one in sent.participants
    )
    return replace(sent, id=id, thread_id=id, participants=people, attachments=(attachment,))
