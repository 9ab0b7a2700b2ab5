"""The tables as Peewee models.

They are bound to no database: each query names the one it runs on, so that one
process can hold several stores. The migrations make the tables; a test compares.
"""

from peewee import (
    BigAutoField,
    BigIntegerField,
    BlobField,
    CompositeKey,
    Model,
    SmallIntegerField,
    TextField,
)

from postroom.storage.message_models import MESSAGE_TABLES


class Setting(Model):
    """A value that all servers of the database share."""

    name = TextField(primary_key=True)
    value = TextField()

    class Meta:
        table_name = "settings"


class WorkflowRow(Model):
    """A workflow."""

    number = BigAutoField()
    id = TextField(unique=True)
    key = TextField(unique=True)
    created_at = BigIntegerField()

    class Meta:
        table_name = "workflow"


class AgentRow(Model):
    """An agent, without what changes with each mail."""

    number = BigAutoField()
    id = TextField(unique=True)
    name = TextField()
    folded_name = TextField()
    workflow = BigIntegerField(null=True)
    role = TextField()
    parent = BigIntegerField(null=True)
    state = SmallIntegerField()
    program = TextField()
    model = TextField()
    task_description = TextField()
    created_at = BigIntegerField()
    proves = SmallIntegerField(default=0)
    contact_policy = TextField(default="auto")
    attachments_policy = TextField(default="auto")

    class Meta:
        table_name = "agent"


class MailboxRow(Model):
    """An agent's counters."""

    agent = BigIntegerField(primary_key=True)
    received = BigIntegerField(default=0)
    sent = BigIntegerField(default=0)
    waiting = BigIntegerField(default=0)
    claimed_through = BigIntegerField(default=0)
    last_active_at = BigIntegerField()

    class Meta:
        table_name = "mailbox"


class ExchangeRow(Model):
    """How many counted mails a pair has exchanged; low < high."""

    low = BigIntegerField()
    high = BigIntegerField()
    mails = BigIntegerField()

    class Meta:
        table_name = "exchange"
        primary_key = CompositeKey("low", "high")


class MailRow(Model):
    """A piece of mail: its keys, and itself in wire form."""

    number = BigAutoField()
    id = TextField(unique=True)
    recipient = BigIntegerField()
    received_number = BigIntegerField()
    sender = BigIntegerField(null=True)
    sent_number = BigIntegerField(null=True)
    kind = SmallIntegerField()
    created_at = BigIntegerField()
    expires_at = BigIntegerField()
    claimed_at = BigIntegerField(null=True)
    checksum = BigIntegerField()
    wire = BlobField()

    class Meta:
        table_name = "mail"


class MailboxReadRow(Model):
    """A look into somebody else's mailbox."""

    number = BigAutoField()
    id = TextField(unique=True)
    reader = BigIntegerField()
    owner = BigIntegerField()
    read_at = BigIntegerField()
    method = TextField()
    # 0 where neither side was meant.
    direction = SmallIntegerField()
    event = SmallIntegerField(default=1)
    reason = TextField(default="")
    attempts = BigIntegerField(default=1)
    proof = SmallIntegerField(default=0)
    key_id = TextField(default="")
    surface = TextField(default="")
    peer = TextField(default="")
    request_id = TextField(default="")
    mails = BigIntegerField(null=True)
    first_mail_id = TextField(null=True)
    last_mail_id = TextField(null=True)
    hash = TextField(default="")

    class Meta:
        table_name = "mailbox_read"


class MailboxReadChainRow(Model):
    """How many looks are recorded, and the hash of the last record."""

    number = BigAutoField()
    reads = BigIntegerField()
    head = TextField()

    class Meta:
        table_name = "mailbox_read_chain"


class AnswerRow(Model):
    """The stored answer to a request id."""

    caller = BigIntegerField()
    method = TextField()
    request_id = TextField()
    digest = BlobField()
    response = BlobField()
    answered_at = BigIntegerField()

    class Meta:
        table_name = "answer"
        primary_key = CompositeKey("caller", "method", "request_id")


class TokenRow(Model):
    """A token, with a hash in the place of its secret."""

    number = BigAutoField()
    key_id = TextField(unique=True)
    secret_hash = BlobField()
    agent = BigIntegerField()
    label = TextField()
    created_at = BigIntegerField()
    expires_at = BigIntegerField(null=True)
    revoked_at = BigIntegerField(null=True)
    last_used_at = BigIntegerField(null=True)

    class Meta:
        table_name = "token"


class OutboxRow(Model):
    """What the archive has still to take."""

    number = BigAutoField()
    subject = TextField()
    payload = BlobField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "outbox"


TABLES: tuple[type[Model], ...] = (
    Setting,
    WorkflowRow,
    AgentRow,
    MailboxRow,
    ExchangeRow,
    MailRow,
    MailboxReadRow,
    MailboxReadChainRow,
    AnswerRow,
    TokenRow,
    OutboxRow,
    *MESSAGE_TABLES,
)
