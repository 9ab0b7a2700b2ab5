"""Which recipients a message may go to: family, contact, limits (messages.md, send_message).

Named recipients are all or nothing: the first that cannot be reached refuses the call. A
broadcast passes over those that it cannot reach and says why.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from postroom import contact, exchange, mailbox
from postroom.agent import Agent
from postroom.errors import Code, Forbidden, QuotaSpent, Refusal, joined
from postroom.mail import MailKind
from postroom.messaging import gate, handshake
from postroom.messaging.presence import is_present
from postroom.messaging.recipients import Addressed
from postroom.office import Call

_FAMILY, _CONTACT, _BLOCKED = "outside_family", "contact_required", "block_all"


@dataclass(frozen=True, slots=True)
class Admitted:
    """A recipient that gets the message, and whether that spends the pair's exchange.

    `waiting` is its waiting mail counted anew, where the counter seemed to be at the limit.
    """

    to: Addressed
    spends: bool
    waiting: int | None = None


@dataclass(slots=True)
class Admission:
    """Who is left, and who was passed over and why, by name."""

    left: list[Addressed]
    skipped: dict[str, str] = field(default_factory=dict)

    def skip(self, agents: Iterable[Agent], reason: str) -> None:
        """Pass over agents that a broadcast reached."""
        gone = {agent.number for agent in agents}
        self.skipped.update(
            (one.agent.name, reason) for one in self.left if one.agent.number in gone
        )
        self.left = [one for one in self.left if one.agent.number not in gone]

    def must_reach_somebody(self) -> None:
        """Raise Refusal (NO_RECIPIENTS) when a broadcast is left with nobody."""
        if self.left:
            return
        skips = sorted(self.skipped.items())
        listed = joined([f"{name} ({reason})" for name, reason in skips])
        told = f"the broadcast reaches nobody: {listed or 'the project has no other agent'}"
        raise Refusal(
            f"{told}; nothing was sent",
            Code.FAILED_PRECONDITION,
            "NO_RECIPIENTS",
            metadata=dict(skips[:_MOST_TOLD]),
        )


_MOST_TOLD = 15


def by_family(sender: Agent, admission: Admission) -> None:
    """A child reaches its parent and its siblings. Raises Forbidden (CHILD_SCOPE)."""
    outside = []
    for one in admission.left:
        try:
            sender.must_reach(one.agent)
        except Forbidden:
            if one.named:
                raise
            outside.append(one.agent)
    admission.skip(outside, _FAMILY)


def by_contact(call: Call, sender: Agent, admission: Admission, *, asks: bool) -> Sequence[Agent]:
    """Ask the recipients' policies; returns those to be approved when the message is written.

    Raises PolicyForbids, or Refusal (CONTACT_REQUIRED) after leaving one request for
    each recipient that must approve contact first.
    """
    judged = gate.judge(call, sender, [one.agent for one in admission.left])
    are_named = {one.agent.number for one in admission.left if one.named}
    admission.skip((a for a in judged.forbidden if a.number not in are_named), _BLOCKED)
    admission.skip((a for a in judged.requires_contact if a.number not in are_named), _CONTACT)
    forbidden = [agent for agent in judged.forbidden if agent.number in are_named]
    if forbidden:
        raise contact.PolicyForbids([agent.name for agent in forbidden])
    required = [agent for agent in judged.requires_contact if agent.number in are_named]
    absent = [agent for agent in required if not asks or not is_present(call, agent)]
    if absent:
        raise contact.required(
            [agent.name for agent in absent],
            [agent.name for agent in absent if asks and _ask(call, sender, agent)],
            asks=asks,
        )
    return required


def _ask(call: Call, sender: Agent, recipient: Agent) -> bool:
    asked = handshake.request(call, sender, recipient, "", 0)
    return asked.status is contact.ContactStatus.PENDING


def by_limits(call: Call, sender: Agent, admission: Admission) -> list[Admitted]:
    """Hold the pair's exchange and the mailbox to their limits. Raises QuotaSpent."""
    agents = [one.agent for one in admission.left]
    mails, counted = call.session.exchanges(sender, agents), _counted(call, agents)
    admitted = []
    refused: dict[str, list[Agent]] = {"exchange_capped": [], "mailbox_full": []}
    for one in admission.left:
        number = one.agent.number
        try:
            spends = _spends(call, sender, one.agent, mails[number])
            _check_room(call, one.agent, counted)
            admitted.append(Admitted(one, spends, counted.get(number)))
        except QuotaSpent as spent:
            if one.named:
                raise
            refused[spent.reason.lower()].append(one.agent)
    for reason, agents in refused.items():
        admission.skip(agents, reason)
    return admitted


def _spends(call: Call, sender: Agent, recipient: Agent, mails: int) -> bool:
    return exchange.is_limited(sender, recipient) and exchange.admit(
        sender, recipient, mails, call.limits.exchange
    )


def _counted(call: Call, recipients: Sequence[Agent]) -> Mapping[int, int]:
    """The waiting mail of those whose counter seems to be at the limit."""
    full = [one for one in recipients if one.mailbox.waiting >= call.limits.mailbox]
    return call.session.count_waiting(full, now=call.now, kind=MailKind.PLAIN)


def _check_room(call: Call, recipient: Agent, counted: Mapping[int, int]) -> None:
    limit = call.limits.mailbox
    if counted.get(recipient.number, 0) >= limit:
        raise mailbox.full(recipient.id, limit)
