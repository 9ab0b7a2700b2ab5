"""Agents made by hand."""

from dataclasses import replace

from postroom.agent import Agent, AgentState
from postroom.mailbox import Mailbox

_PLAIN = Agent(
    number=1,
    id="agt_1",
    name="alfa",
    workflow=1,
    workflow_id="wfl_1",
    role="",
    parent=None,
    parent_id=None,
    state=AgentState.RUNNING,
    program="",
    model="",
    task_description="",
    created_at=0,
    mailbox=Mailbox(),
)
OPERATOR = replace(_PLAIN, number=99, id="operator", name="operator", workflow=None, workflow_id="")


def agent(number: int, name: str = "", parent: int | None = None, workflow: int = 1) -> Agent:
    """An agent whose id is made of its number."""
    return replace(
        _PLAIN,
        number=number,
        id=f"agt_{number}",
        name=name or f"agent-{number}",
        workflow=workflow,
        workflow_id=f"wfl_{workflow}",
        parent=parent,
        parent_id=None if parent is None else f"agt_{parent}",
    )
