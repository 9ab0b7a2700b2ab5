"""Mailbox: the counters of what an agent received, sent and has waiting."""

from typing import NamedTuple

from postroom.errors import QuotaSpent

DEFAULT_LIMIT = 200


class Mailbox(NamedTuple):
    """Counters that change in the same transaction as the mail they count.

    `received` and `sent` are the last numbers given out of the mailbox's own two
    sequences. `waiting` counts plain mail that is unclaimed; it may still hold
    mail that expired meanwhile. Every piece up to number `claimed_through` was
    claimed, or had expired when a later piece was claimed.
    """

    received: int = 0
    sent: int = 0
    waiting: int = 0
    claimed_through: int = 0
    last_active_at: int = 0


def full(agent_id: str, limit: int) -> QuotaSpent:
    """Refuse a send to an agent that holds as much waiting mail as it may."""
    return QuotaSpent(
        f"the mailbox of {agent_id} holds its limit of {limit} waiting mails; "
        "send again after it has read some",
        "MAILBOX_FULL",
        f"agent:{agent_id}",
        limit,
    )
