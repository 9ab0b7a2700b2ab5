"""Batches on a database that has one writer at a time.

The transaction locks everything, so what one batch has learnt of agents and
exchanges holds for the next, until another process writes or a batch is undone.
"""

from postroom.agent import Agent
from postroom.storage import statements
from postroom.storage.agents import agent_of
from postroom.storage.commit import run_job
from postroom.storage.database import Connection
from postroom.storage.held import Held
from postroom.storage.jobs import Job
from postroom.storage.session import Session
from postroom.storage.writing import WritingSession

_REMEMBERED = 50_000


class Exclusive:
    """Runs jobs one after another; nobody else can write meanwhile."""

    def __init__(self) -> None:
        self._held: Held | None = None
        self._version = -1

    def run(self, connection: Connection, jobs: list[Job]) -> list[Session]:
        """See commit.Runner."""
        held = self._current(connection)
        sessions: list[Session] = [run_job(_LearningSession(held), job) for job in jobs]
        held.store_reads()
        return sessions

    def forget(self) -> None:
        """See commit.Runner."""
        self._held = None

    def was_committed(self, connection: Connection) -> bool:
        """A commit that fails in this process has been undone."""
        del connection
        return False

    def _current(self, connection: Connection) -> Held:
        row = connection.one(statements.DATA_VERSION)
        version = row[0] if row else -1
        # The number changes when another connection has written, never by our own.
        if self._held is None or version != self._version or len(self._held) > _REMEMBERED:
            self._held = _HoldingAll(connection)
            self._version = version
        return self._held


class _HoldingAll(Held):
    """Holds every agent that is asked for: all are locked."""

    def missing(self, agent: Agent) -> Agent:
        """See Held.missing."""
        row = self.plain.one(statements.AGENT_BY_ID, (agent.id,))
        found = agent_of(row) if row else agent
        self.hold([found])
        return found


class _LearningSession(WritingSession):
    """Remembers every agent that it meets by id."""

    def agent(self, id: str) -> Agent | None:
        """See ports.Session.agent."""
        agent = self._held.by_id(id)
        if agent is None and (agent := super().agent(id)) is not None:
            self._held.hold([agent])
        return agent
