"""Tokens made within a call."""

from typing import NamedTuple

from postroom import token
from postroom.agent import Agent
from postroom.office import Call

_TOGETHER = 200


class Issued(NamedTuple):
    """A token as its holder keeps it, what it is known by, and when it ends."""

    text: str
    key_id: str
    expires_at: int


# Where none was wanted.
NONE = Issued("", "", 0)


def issue(call: Call, agent: Agent, label: str) -> Issued:
    """Store the hash of a new token of a locked agent. Raises QuotaSpent (TOO_MANY_TOKENS)."""
    if live_tokens(call, agent) >= token.MOST_LIVE:
        raise token.too_many(agent.id)
    expires_at = call.now + token.LIFETIME
    made, text = token.issue(call.office.random_bytes, agent, label, call.now, expires_at)
    call.session.add_token(made)
    return Issued(text, made.key_id, expires_at)


def live_tokens(call: Call, agent: Agent) -> int:
    """How many tokens of an agent prove something now, among all that it ever had."""
    live = after = 0
    while known := call.session.tokens(agent=agent.number, after=after, limit=_TOGETHER):
        live += sum(each.is_live(call.now) for each in known)
        after = known[-1].number
    return live
