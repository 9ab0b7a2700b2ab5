"""Whom the recipients' contact policies let a message through to (messages.md, Contacts)."""

from collections.abc import Sequence
from dataclasses import dataclass

from postroom.agent import Agent
from postroom.contact import ContactPolicy
from postroom.office import Call

_ASK_NOBODY = (ContactPolicy.OPEN, ContactPolicy.BLOCK_ALL)


@dataclass(frozen=True, slots=True)
class Judged:
    """The recipients that a message cannot go to yet, and those it never can."""

    requires_contact: Sequence[Agent]
    forbidden: Sequence[Agent]


def judge(call: Call, sender: Agent, recipients: Sequence[Agent]) -> Judged:
    """Ask each recipient's policy; expiry is part of the question, at this instant."""
    shut = [one for one in recipients if one.contact_policy not in _ASK_NOBODY]
    approved = call.session.approved(sender.number, [one.number for one in shut], call.now)
    shut = [one for one in shut if one.number not in approved]
    auto = [one.number for one in shut if one.contact_policy == ContactPolicy.AUTO]
    known = call.session.writers_to(sender.number, auto)
    return Judged(
        requires_contact=[one for one in shut if one.number not in known],
        forbidden=[one for one in recipients if one.contact_policy == ContactPolicy.BLOCK_ALL],
    )
