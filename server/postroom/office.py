"""What an operation is handed: the office, and who is calling."""

import secrets
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from postroom import contact, exchange, instant, mailbox
from postroom.agent import Agent
from postroom.caller_sessions import CallerSession
from postroom.denials import Denials
from postroom.enclosure import Attaching
from postroom.errors import Code, Refusal
from postroom.mail import ID_PREFIX, NOTICE_SENDER, Mail, MailKind
from postroom.message_ports import ProjectFiles
from postroom.page import Cursors
from postroom.ports import Clock, Ids, Prove, Session, Store, Subscription, Watches
from postroom.records import Proof
from postroom.token import RandomBytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The figures that a person may set. Times are in seconds."""

    exchange: int = exchange.DEFAULT_LIMIT
    mailbox: int = mailbox.DEFAULT_LIMIT
    mail_ttl: int = 7 * 24 * 3600
    mail_retention: int = 30 * 24 * 3600
    request_id_retention: int = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Messaging:
    """How messages are sent where the caller does not say. Times are in seconds."""

    converts_images: bool = True
    auto_contact: bool = True
    pending_contact: int = contact.PENDING_SECONDS
    in_session_contact: int = contact.IN_SESSION_SECONDS
    # Bytes of new attachments that one agent may send in a day.
    daily_attachments: int = 50 * 1024 * 1024
    # Whether messages, and other mail too, are left for the archive.
    archives_messages: bool = True
    archives_mail: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """Everything that is the same for every call."""

    store: Store
    clock: Clock
    ids: Ids
    cursors: Cursors
    watches: Watches | None = None
    # None where no files are kept: paths are refused then.
    files: ProjectFiles | None = None
    attaching: Attaching | None = None
    random_bytes: RandomBytes = secrets.token_bytes
    limits: Limits = field(default_factory=Limits)
    messaging: Messaging = field(default_factory=Messaging)
    # Whether callers are believed without proof.
    is_trusted: bool = True
    # Whether agents may look into each other's mailboxes; each look is recorded.
    foreign_reads: bool = True
    denials: Denials = field(default_factory=Denials)


class Origin(Protocol):
    """Where a call comes from, and how: '' stands for what is not known.

    `surface` is such as grpc, json or mcp, `peer` the address of the caller's machine,
    `key_id` that of its token, `request_id` what it calls the request itself.
    """

    @property
    def surface(self) -> str: ...
    @property
    def peer(self) -> str: ...
    @property
    def proof(self) -> Proof: ...
    @property
    def key_id(self) -> str: ...
    @property
    def request_id(self) -> str: ...

    @property
    def is_unnamed(self) -> bool:
        """Whether the caller named nobody, and so is the operator by default only."""
        ...

    @property
    def is_local(self) -> bool:
        """Whether the caller is on this machine and no proxy stands in between."""
        ...

    @property
    def caller_session(self) -> CallerSession:
        """Who else has proven themselves in the caller's session."""
        ...


class _FromSomewhere:
    """What a call tells of its origin."""

    __slots__ = ()
    origin: Origin

    @property
    def is_unnamed(self) -> bool:
        """Whether the caller named nobody, and so is the operator by default only."""
        return self.origin.is_unnamed

    @property
    def is_local(self) -> bool:
        """Whether the caller is on this machine and no proxy stands in between."""
        return self.origin.is_local

    @property
    def caller_session(self) -> CallerSession:
        """Who else has proven themselves in the caller's session."""
        return self.origin.caller_session


@dataclass(frozen=True, slots=True)
class Call(_FromSomewhere):
    """One call: the office, the transaction, the caller, the moment and the origin.

    `method` is the operation's full name, such as agent.v1.AgentService/ListMail;
    `now` is read once, so that everything a call stores has the same time.
    """

    office: Office
    session: Session
    caller: Agent
    method: str
    now: int
    origin: Origin

    @property
    def limits(self) -> Limits:
        """The office's limits."""
        return self.office.limits

    def new_id(self, prefix: str) -> str:
        """A new id."""
        return self.office.ids.new(prefix)

    def waiting(self, agent: Agent) -> int:
        """How much mail waits for an agent."""
        return self.session.count_waiting([agent], now=self.now)[agent.number]

    def expiry(self) -> int:
        """When mail that is sent now stops being offered."""
        return self.now + self.limits.mail_ttl * instant.SECOND

    def plain(
        self,
        sender: Agent,
        recipient: Agent,
        body: str,
        reply_to: str | None,
        message_id: str | None = None,
    ) -> Mail:
        """Mail of an agent; a copy when it is of a message."""
        return Mail(
            id=self.new_id(ID_PREFIX),
            sender=sender.number,
            from_agent_id=sender.id,
            from_name=sender.name,
            recipient=recipient.number,
            to_agent_id=recipient.id,
            body=body,
            reply_to=reply_to,
            created_at=self.now,
            expires_at=self.expiry(),
            kind=MailKind.PLAIN,
            message_id=message_id,
        )

    def notice(self, told: Agent, kind: MailKind, text: str) -> Mail:
        """Mail that the post room raises itself."""
        return Mail(
            id=self.new_id(ID_PREFIX),
            sender=None,
            from_agent_id=None,
            from_name=NOTICE_SENDER,
            recipient=told.number,
            to_agent_id=told.id,
            body=text,
            reply_to=None,
            created_at=self.now,
            expires_at=self.expiry(),
            kind=kind,
        )


@dataclass(frozen=True, slots=True)
class StreamCall(_FromSomewhere):
    """A call outside any transaction: a stream, a wait, or what comes before an operation.

    `prove` says again who calls; it raises when the caller may not call any more.
    """

    office: Office
    caller: Agent
    method: str
    origin: Origin
    prove: Prove
    time_left: float | None = None

    def within(self, session: Session) -> Call:
        """A part of the call, in one transaction."""
        return Call(
            self.office, session, self.caller, self.method, self.office.clock.now(), self.origin
        )

    def subscribe(self, owner: Agent) -> AbstractContextManager[Subscription]:
        """Take a place among those who wait for mail of `owner`."""
        if self.office.watches is None:
            raise Refusal("nothing can be waited for here", Code.UNIMPLEMENTED, "NO_WATCHES")
        return self.office.watches.subscribe(owner.number, self.prove, self.caller.id)
