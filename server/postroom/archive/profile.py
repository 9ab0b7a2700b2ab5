"""Who a project and its agents are, as files, so that a lost database can be rebuilt. Pure.

No token and no hash is among the facts: only whether a token has to prove the agent.
"""

from dataclasses import dataclass, replace

from postroom.agent import Agent, AgentState
from postroom.archive import frontmatter
from postroom.archive.facts import Reader
from postroom.archive.frontmatter import Unreadable
from postroom.instant import rfc3339
from postroom.workflow import Workflow

_TEXTS = (
    "id",
    "name",
    "role",
    "state",
    "program",
    "model",
    "task_description",
    "contact_policy",
    "attachments_policy",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledProject:
    """A project as its file tells it."""

    id: str
    key: str
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """An agent as its file tells it."""

    id: str
    name: str
    role: str
    parent_id: str | None
    state: str
    program: str
    model: str
    task_description: str
    contact_policy: str
    attachments_policy: str
    proves: bool
    created_at: int

    def ended(self) -> "Profile":
        """The same agent, archived."""
        return replace(self, state=AgentState.ARCHIVED.name.lower())


def of_project(workflow: Workflow) -> bytes:
    """The content of a project's file."""
    return frontmatter.written(
        {
            "type": "project",
            "id": workflow.id,
            "key": workflow.key,
            "created_at": rfc3339(workflow.created_at),
        }
    )


def read_project(content: bytes) -> FiledProject:
    """The project that a file tells of. Raises Unreadable."""
    reader = Reader(frontmatter.read(content)[0])
    return FiledProject(
        id=reader.text("id"), key=reader.text("key"), created_at=reader.instant("created_at")
    )


def of_agent(agent: Agent) -> bytes:
    """The content of an agent's profile."""
    return frontmatter.written(
        {
            "type": "agent",
            "id": agent.id,
            "name": agent.name,
            "role": agent.role,
            "parent_id": agent.parent_id,
            "state": agent.state.name.lower(),
            "program": agent.program,
            "model": agent.model,
            "task_description": agent.task_description,
            "contact_policy": str(agent.contact_policy),
            "attachments_policy": str(agent.attachments_policy),
            "proves": agent.proves,
            "created_at": rfc3339(agent.created_at),
        }
    )


def read_agent(content: bytes) -> Profile:
    """The agent that a profile tells of. Raises Unreadable."""
    reader = Reader(frontmatter.read(content)[0])
    if reader.text("state").upper() not in AgentState.__members__:
        raise Unreadable("the state is no agent's")
    return Profile(
        **{name: reader.text(name) for name in _TEXTS},
        parent_id=reader.optional("parent_id"),
        proves=reader.flag("proves"),
        created_at=reader.instant("created_at"),
    )
