"""What an operation is handed: the office, and who is calling."""

from dataclasses import dataclass, field

from postroom import exchange, instant, mailbox
from postroom.agent import Agent
from postroom.mail import ID_PREFIX, NOTICE_SENDER, Mail, MailKind
from postroom.page import Cursors
from postroom.ports import Clock, Ids, Session, Store


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
    limits: Limits = field(default_factory=Limits)


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
