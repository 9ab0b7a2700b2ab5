"""The tables of messages as Peewee models (see models.py)."""

from peewee import (
    BigAutoField,
    BigIntegerField,
    BlobField,
    CompositeKey,
    Model,
    SmallIntegerField,
    TextField,
)


class MessageRow(Model):
    """A message, without who takes part in it."""

    number = BigAutoField()
    id = TextField(unique=True)
    workflow = BigIntegerField()
    thread_id = TextField()
    reply_to = TextField(null=True)
    importance = TextField()
    ack_required = SmallIntegerField()
    topic = TextField()
    created_at = BigIntegerField()
    checksum = BigIntegerField()
    subject = TextField()
    body_md = TextField()

    class Meta:
        table_name = "message"


class ParticipantRow(Model):
    """The sender or a recipient of a message."""

    message = BigIntegerField()
    agent = BigIntegerField()
    part = SmallIntegerField()
    position = SmallIntegerField()
    mail_id = TextField(null=True)
    received_number = BigIntegerField(null=True)
    read_at = BigIntegerField(null=True)
    acknowledged_at = BigIntegerField(null=True)

    class Meta:
        table_name = "participant"
        primary_key = CompositeKey("message", "agent")


class ThreadRow(Model):
    """An agent's part of a thread: how many messages, and which are first and last."""

    agent = BigIntegerField()
    workflow = BigIntegerField()
    thread_id = TextField()
    messages = BigIntegerField()
    first = BigIntegerField()
    last = BigIntegerField()

    class Meta:
        table_name = "thread"
        primary_key = CompositeKey("agent", "workflow", "thread_id")


class CorrespondenceRow(Model):
    """That one agent has sent another a message."""

    sender = BigIntegerField()
    recipient = BigIntegerField()

    class Meta:
        table_name = "correspondence"
        primary_key = CompositeKey("sender", "recipient")


class FileRow(Model):
    """The content of an attachment, once in each project."""

    workflow = BigIntegerField()
    sha256 = TextField()
    media_type = TextField()
    width = BigIntegerField()
    height = BigIntegerField()
    created_at = BigIntegerField()
    data = BlobField()

    class Meta:
        table_name = "file"
        primary_key = CompositeKey("workflow", "sha256")


class AttachmentRow(Model):
    """What a message says of one attachment."""

    message = BigIntegerField()
    position = SmallIntegerField()
    name = TextField()
    mode = TextField()
    media_type = TextField()
    path = TextField()
    sha256 = TextField()
    bytes = BigIntegerField()
    width = BigIntegerField()
    height = BigIntegerField()
    reason = TextField()

    class Meta:
        table_name = "attachment"
        primary_key = CompositeKey("message", "position")


class UploadRow(Model):
    """The bytes of attachments that an agent sent with one message."""

    number = BigAutoField()
    agent = BigIntegerField()
    at = BigIntegerField()
    bytes = BigIntegerField()

    class Meta:
        table_name = "upload"


class ContactRow(Model):
    """A request for contact and what became of it."""

    number = BigAutoField()
    requester = BigIntegerField()
    target = BigIntegerField()
    status = TextField()
    reason = TextField()
    updated_at = BigIntegerField()
    expires_at = BigIntegerField(null=True)
    notice = TextField(null=True)
    noticed_until = BigIntegerField(null=True)

    class Meta:
        table_name = "contact"


MESSAGE_TABLES: tuple[type[Model], ...] = (
    MessageRow,
    ParticipantRow,
    ThreadRow,
    CorrespondenceRow,
    FileRow,
    AttachmentRow,
    UploadRow,
    ContactRow,
)
