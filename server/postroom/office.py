"""What an operation is handed: the office, and who is calling."""

import secrets
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from postroom import exchange, instant, mailbox
from postroom.agent import Agent
from postroom.denials import Denials
from postroom.errors import Code, Refusal
from postroom.mail import ID_PREFIX, NOTICE_SENDER, Mail, MailKind
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
class Office:
    """Everything that is the same for every call."""

    store: Store
    clock: Clock
    ids: Ids
    cursors: Cursors
    watches: Watches | None = None
    random_bytes: RandomBytes = secrets.token_bytes
    limits: Limits = field(default_factory=Limits)
    # Whether agents may look into each other's mailboxes; each look is recorded.
    foreign_reads: bool = True
    denials: Denials = field(default_factory=Denials)


class Origin(Protocol):
    """How a call came in: '' stands for what is not known.

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


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the office, the transaction, the caller and the moment.

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
class StreamCall:
    """A call that lasts, and so outlives every transaction: a stream, or a wait.

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
