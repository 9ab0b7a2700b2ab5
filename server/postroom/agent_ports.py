"""What the store is asked and told of agents and workflows."""

from collections.abc import Sequence
from typing import Protocol

from postroom.agent import Agent, AgentState
from postroom.records import Description, NewAgent
from postroom.workflow import Workflow


class AgentQuestions(Protocol):
    """The part of a session that deals with agents and workflows."""

    def agent(self, id: str) -> Agent | None:
        """The agent with this id, archived ones and the operator included."""
        ...

    def agent_numbered(self, number: int) -> Agent | None:
        """The agent with this number of the store's own."""
        ...

    def live_agents_named(self, name: str, workflow: int | None) -> Sequence[Agent]:
        """The agents not archived with exactly this name, of one workflow or of all."""
        ...

    def live_agents(self, workflow: int, *, after: int, limit: int) -> Sequence[Agent]:
        """The agents of a workflow that have not ended, by number from `after` on."""
        ...

    def agents_named(
        self, names: Sequence[str], workflow: int, *, archived: bool
    ) -> Sequence[Agent]:
        """The live, or the archived, agents of a workflow that have one of these names."""
        ...

    def name_is_taken(self, name: str, workflow: int) -> bool:
        """Whether a live agent of the workflow has the name, ignoring case."""
        ...

    def agents(
        self,
        *,
        workflow: int | None,
        parent: int | None,
        state: AgentState | None,
        after: int,
        limit: int,
    ) -> Sequence[Agent]:
        """Agents by number from `after` on; filters that are None do not apply."""
        ...

    def workflow(self, id_or_key: str) -> Workflow | None:
        """The workflow with this id or this key; no key begins as ids do."""
        ...

    def workflows(self, *, after: int, limit: int) -> Sequence[Workflow]:
        """Workflows by number from `after` on."""
        ...

    def add_workflow(self, id: str, key: str, created_at: int) -> Workflow:
        """Store a new workflow."""
        ...

    def add_agent(self, agent: NewAgent) -> Agent:
        """Store a new agent with an empty mailbox."""
        ...

    def describe(self, agent: Agent, told: Description) -> Agent:
        """Change what is known of an agent and return it."""
        ...

    def set_state(self, agent: Agent, state: AgentState) -> Agent:
        """Change an agent's state and return it."""
        ...
