"""Agents and workflows in the database."""

from collections.abc import Sequence

from postroom.agent import Agent, AgentState
from postroom.mailbox import Mailbox
from postroom.records import Description, NewAgent
from postroom.storage import statements
from postroom.storage.database import Row
from postroom.storage.models import AgentRow, MailboxRow, WorkflowRow
from postroom.storage.transaction import Transaction
from postroom.workflow import ID_PREFIX, Workflow


def agent_of(row: Row) -> Agent:
    """An agent from a row of statements.AGENT."""
    # Positional, and quick: agents are read on the hot path.
    before, state, after = row[:8], AgentState(row[8]), row[9:13]
    policies, counters = row[14:16], Mailbox._make(row[16:])
    return Agent._make((*before, state, *after, bool(row[13]), *policies, counters))


class AgentQueries(Transaction):
    """The part of a session that deals with agents and workflows."""

    def agent(self, id: str) -> Agent | None:
        """See Session.agent."""
        row = self.aside.one(statements.AGENT_BY_ID, (id,))
        return agent_of(row) if row else None

    def agent_numbered(self, number: int) -> Agent | None:
        """See AgentQuestions.agent_numbered."""
        row = self.aside.one(f"{statements.AGENT} WHERE a.number = ?", (number,))
        return agent_of(row) if row else None

    def live_agents_named(self, name: str, workflow: int | None) -> Sequence[Agent]:
        """See Session.live_agents_named."""
        text, parameters = statements.LIVE_AGENTS_NAMED, (name,)
        if workflow is None:
            rows = self.aside.all(f"{text} ORDER BY a.number", parameters)
        else:
            rows = self.aside.all(f"{text} AND a.workflow = ?", (*parameters, workflow))
        return [agent_of(row) for row in rows]

    def live_agents(self, workflow: int, *, after: int, limit: int) -> Sequence[Agent]:
        """See Session.live_agents."""
        where = "a.workflow = ? AND a.state <> 3 AND a.number > ?"
        text = f"{statements.AGENT} WHERE {where} ORDER BY a.number LIMIT ?"
        return [agent_of(row) for row in self.aside.all(text, (workflow, after, limit))]

    def agents_named(
        self, names: Sequence[str], workflow: int, *, archived: bool
    ) -> Sequence[Agent]:
        """See Session.agents_named."""
        if not names:
            return []
        holes = ", ".join("?" * len(names))
        state = "=" if archived else "<>"
        where = f"a.workflow = ? AND a.state {state} 3 AND a.name IN ({holes})"
        rows = self.aside.all(f"{statements.AGENT} WHERE {where}", (workflow, *names))
        return [agent_of(row) for row in rows]

    def name_is_taken(self, name: str, workflow: int) -> bool:
        """See Session.name_is_taken."""
        holder = AgentRow.select(AgentRow.number).where(
            AgentRow.workflow == workflow,
            AgentRow.folded_name == name.lower(),
            AgentRow.state != AgentState.ARCHIVED,
        )
        return bool(self.connection.rows(holder))

    def agents(
        self,
        *,
        workflow: int | None,
        parent: int | None,
        state: AgentState | None,
        after: int,
        limit: int,
    ) -> Sequence[Agent]:
        """See Session.agents."""
        filters = {"workflow": workflow, "parent": parent, "state": state}
        used = {name: int(value) for name, value in filters.items() if value is not None}
        # The operator has a mailbox but is no agent, and is the one row without a workflow.
        where = " AND ".join(
            ["a.number > ?", "a.workflow IS NOT NULL", *(f"a.{name} = ?" for name in used)]
        )
        text = f"{statements.AGENT} WHERE {where} ORDER BY a.number LIMIT ?"
        rows = self.connection.all(text, (after, *used.values(), limit))
        return [agent_of(row) for row in rows]

    def workflow(self, id_or_key: str) -> Workflow | None:
        """See Session.workflow."""
        # No key begins as ids do.
        column = "id" if id_or_key.startswith(ID_PREFIX) else "key"
        row = self.aside.one(f"{statements.WORKFLOW} WHERE {column} = ?", (id_or_key,))
        return _workflow_of(row) if row else None

    def workflows(self, *, after: int, limit: int) -> Sequence[Workflow]:
        """See Session.workflows."""
        text = f"{statements.WORKFLOW} WHERE number > ? ORDER BY number LIMIT ?"
        return [_workflow_of(row) for row in self.connection.all(text, (after, limit))]

    def add_workflow(self, id: str, key: str, created_at: int) -> Workflow:
        """See Session.add_workflow."""
        self.writing()
        self.connection.query(WorkflowRow.insert(id=id, key=key, created_at=created_at))
        added = self.workflow(id)
        assert added is not None
        return added

    def add_agent(self, agent: NewAgent) -> Agent:
        """See Session.add_agent."""
        self.writing()
        number = self.connection.query(
            AgentRow.insert(
                id=agent.id,
                name=agent.name,
                folded_name=agent.name.lower(),
                workflow=agent.workflow,
                role=agent.role,
                parent=agent.parent,
                state=agent.state,
                program=agent.program,
                model=agent.model,
                task_description=agent.task_description,
                created_at=agent.created_at,
                contact_policy=agent.contact_policy,
                attachments_policy=agent.attachments_policy,
            )
        )
        self.connection.query(MailboxRow.insert(agent=number, last_active_at=agent.created_at))
        added = self.agent(agent.id)
        assert added is not None
        return added

    def describe(self, agent: Agent, told: Description) -> Agent:
        """See Session.describe."""
        self.writing()
        if changed := told.given():
            row = AgentRow.update(changed).where(AgentRow.number == agent.number)
            self.connection.query(row)
        described = self.agent(agent.id)
        assert described is not None
        return described

    def set_state(self, agent: Agent, state: AgentState) -> Agent:
        """See Session.set_state."""
        self.writing()
        self.connection.query(AgentRow.update(state=state).where(AgentRow.number == agent.number))
        return agent._replace(state=state)


def _workflow_of(row: Row) -> Workflow:
    number, id, key, created_at = row
    return Workflow(number=number, id=id, key=key, created_at=created_at)
