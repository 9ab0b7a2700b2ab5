"""Find the agent that an address means (mail.md, SendMail)."""

import difflib

from postroom.agent import Agent, is_id
from postroom.errors import NameAmbiguous, NotFound, Resource, quoted
from postroom.ports import Session

_SUGGESTIONS = 3
_CONSIDERED = 200


def resolve(session: Session, caller: Agent, address: str) -> Agent:
    """Return the agent with this id, or the live agent with this name.

    A name is looked for in the caller's own workflow first, then in all. Raises
    NotFound, or NameAmbiguous listing the holders.
    """
    agent = session.agent(address)
    if agent is not None:
        return agent
    if is_id(address):
        raise NotFound("agent", address, f"no agent has the id {quoted(address)}")
    if caller.workflow is not None:
        own = session.live_agents_named(address, caller.workflow)
        if own:
            return own[0]
    holders = session.live_agents_named(address, None)
    if not holders:
        raise _nobody(session, caller, address)
    if len(holders) > 1:
        raise NameAmbiguous(
            address,
            tuple(Resource("agent", h.id, f"workflow {h.workflow_id}") for h in holders),
        )
    return holders[0]


def _nobody(session: Session, caller: Agent, name: str) -> NotFound:
    told = f"no live agent is called {quoted(name)}, and names must be spelled exactly"
    near = difflib.get_close_matches(name, _known_names(session, caller), _SUGGESTIONS)
    if near:
        told += f"; did you mean {' or '.join(near)}?"
    return NotFound("agent", name, told)


def _known_names(session: Session, caller: Agent) -> list[str]:
    if caller.workflow is None:
        return []
    agents = session.agents(
        workflow=caller.workflow, parent=None, state=None, after=0, limit=_CONSIDERED
    )
    return [agent.name for agent in agents if not agent.is_archived]
