"""Agents made by hand."""

from typing import Any

from postroom.agent import Agent, AgentState
from postroom.mailbox import Mailbox


def agent(number: int, name: str = "", **fields: Any) -> Agent:
    """An agent whose ids are made of its numbers."""
    parent, workflow = fields.get("parent"), fields.get("workflow", 1)
    made = {
        "number": number,
        "id": f"agt_{number}",
        "name": name or f"agent-{number}",
        "workflow": workflow,
        "workflow_id": f"wfl_{workflow}",
        "role": "",
        "parent": parent,
        "parent_id": None if parent is None else f"agt_{parent}",
        "state": AgentState.RUNNING,
        "program": "",
        "model": "",
        "task_description": "",
        "created_at": 0,
        "proves": False,
        "contact_policy": "auto",
        "attachments_policy": "auto",
        "mailbox": Mailbox(),
    }
    return Agent(**(made | fields))


OPERATOR = agent(99, "operator", id="operator", workflow=None, workflow_id="")
