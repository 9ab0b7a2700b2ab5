"""Batches on a database with other writers: survey, lock in order, then run.

Each job is run twice. The first run stops where it wants locks, and tells which;
then the rows of the whole batch are locked in one order, so that two servers can
not wait for each other; the second run sees the rows as they are under the lock.
"""

from collections.abc import Iterable, Sequence

from postroom.agent import Agent
from postroom.ports import sorted_numbers
from postroom.storage import statements
from postroom.storage.agents import agent_of
from postroom.storage.commit import Spoiled, run_job
from postroom.storage.database import Connection
from postroom.storage.jobs import Job
from postroom.storage.session import Session


class LocksWanted(BaseException):
    """Ends the first run of a job. No error, so that no operation catches it."""

    def __init__(self, agents: Sequence[Agent]) -> None:
        self.agents = agents


class Survey:
    """Finds out what a job wants to lock."""

    def take(self, agents: Sequence[Agent]) -> Sequence[Agent]:
        """Stop the job here."""
        raise LocksWanted(agents)


class Held:
    """The locks of a batch, which its jobs share."""

    def __init__(self, connection: Connection, numbers: Sequence[int]) -> None:
        self._connection = connection
        self._numbers = frozenset(numbers)

    def take(self, agents: Sequence[Agent]) -> Sequence[Agent]:
        """Return the agents as they are now, after earlier jobs of the batch.

        Raises Spoiled for an agent that the survey did not meet: the world changed
        between the two runs, and jobs that run one by one will see to it.
        """
        numbers = sorted_numbers(agents)
        if not self._numbers.issuperset(numbers):
            raise Spoiled
        now = {agent.number: agent for agent in _agents(self._connection, numbers)}
        return [now[agent.number] for agent in agents]


class SurveyFirst:
    """Runs batches on a database with other writers."""

    def run(self, connection: Connection, jobs: list[Job]) -> list[Session]:
        """See commit.Runner."""
        sessions, wanted, waiting = [], set[int](), []
        for job in jobs:
            try:
                sessions.append(run_job(connection, job, Survey()))
            except LocksWanted as stopped:
                wanted.update(agent.number for agent in stopped.agents)
                waiting.append(job)
        if waiting:
            numbers = sorted(wanted)
            _lock(connection, numbers)
            held = Held(connection, numbers)
            sessions += [run_job(connection, job, held) for job in waiting]
        return sessions


def _lock(connection: Connection, numbers: Sequence[int]) -> None:
    text = statements.LOCK.format(holes=", ".join("?" * len(numbers)))
    connection.all(text, numbers)


def _agents(connection: Connection, numbers: Sequence[int]) -> Iterable[Agent]:
    text = f"{statements.AGENT} WHERE a.number IN ({', '.join('?' * len(numbers))})"
    return map(agent_of, connection.all(text, numbers))
