"""Find agents and workflows that a request names by id."""

from postroom.agent import Agent
from postroom.errors import NotFound, quoted
from postroom.ports import Session
from postroom.workflow import Workflow, normal_key


def agent(session: Session, id: str) -> Agent:
    """The agent with this id. Raises NotFound (AGENT_NOT_FOUND)."""
    found = session.agent(id)
    if found is None:
        raise NotFound("agent", id, f"no agent has the id {quoted(id)}")
    return found


def workflow(session: Session, id_or_key: str) -> Workflow:
    """The workflow with this id or key. Raises NotFound (WORKFLOW_NOT_FOUND)."""
    found = session.workflow(normal_key(id_or_key))
    if found is None:
        raise NotFound("workflow", id_or_key, f"no workflow has the id or key {quoted(id_or_key)}")
    return found
