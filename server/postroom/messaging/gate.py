"""Whom the recipients' contact policies let a message through to (messages.md, Contacts)."""

from collections.abc import Sequence
from dataclasses import dataclass

from postroom.agent import Agent
from postroom.contact import ContactPolicy
from postroom.office import Call


@dataclass(frozen=True, slots=True)
class Judged:
    """The recipients that a message cannot go to yet, and those it never can."""

    requires_contact: Sequence[Agent]
    forbidden: Sequence[Agent]


def judge(call: Call, sender: Agent, recipients: Sequence[Agent]) -> Judged:
    """Ask each recipient's policy; expiry is part of the question, at this instant."""
    numbers = [agent.number for agent in recipients]
    approved = call.session.approved(sender.number, numbers, call.now)
    requires, forbidden = [], []
    for agent in recipients:
        if agent.contact_policy == ContactPolicy.BLOCK_ALL:
            forbidden.append(agent)
        elif agent.number not in approved and not _is_open(call, sender, agent):
            requires.append(agent)
    return Judged(requires, forbidden)


def _is_open(call: Call, sender: Agent, recipient: Agent) -> bool:
    if recipient.contact_policy == ContactPolicy.OPEN:
        return True
    is_auto = recipient.contact_policy == ContactPolicy.AUTO
    return is_auto and call.session.has_written(recipient.number, sender.number)
