"""Who counts as present in the caller's session (messages.md, Contacts)."""

from postroom import issuing
from postroom.agent import Agent
from postroom.office import Call
from postroom.records import Proof


def is_present(call: Call, agent: Agent) -> bool:
    """Whether the agent is in the session, and what it came in by still holds.

    A token that was revoked or has ended takes its agent out of every session, at once and on
    every server; an agent that was named or registered is out when only a token may prove it
    and it has none that is live.
    """
    entry = call.caller_session.entry(agent.id)
    if entry is None:
        return False
    if entry.key_id:
        token = call.session.token(entry.key_id)
        return token is not None and token.is_live(call.now)
    if entry.proof is Proof.CERTIFICATE or not agent.proves:
        return True
    return issuing.live_tokens(call, agent) > 0
