"""Tokens made within a call."""

from typing import NamedTuple

from postroom import token
from postroom.agent import Agent
from postroom.office import Call

_MOST_KNOWN = 1000


class Issued(NamedTuple):
    """A token as its holder keeps it, what it is known by, and when it ends."""

    text: str
    key_id: str
    expires_at: int


def issue(call: Call, agent: Agent, label: str) -> Issued:
    """Store the hash of a new token of a locked agent. Raises QuotaSpent (TOO_MANY_TOKENS)."""
    known = call.session.tokens(agent=agent.number, after=0, limit=_MOST_KNOWN)
    if sum(each.is_live(call.now) for each in known) >= token.MOST_LIVE:
        raise token.too_many(agent.id)
    expires_at = call.now + token.LIFETIME
    made, text = token.issue(call.office.random_bytes, agent, label, call.now, expires_at)
    call.session.add_token(made)
    return Issued(text, made.key_id, expires_at)
