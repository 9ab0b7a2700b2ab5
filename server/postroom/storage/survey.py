"""Batches on a database with other writers: survey, lock in order, then run.

Each job is run twice. The first run only finds out which mailboxes the job wants to
lock; it may use old knowledge of agents, and its outcome does not count. Then the
rows of the whole batch are locked in one order, so that two servers cannot wait for
each other, and the second run sees the world as it is under the locks.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Sequence

from postroom.agent import Agent
from postroom.storage import statements
from postroom.storage.agents import agent_of
from postroom.storage.commit import run_job
from postroom.storage.database import Connection
from postroom.storage.failures import StoreFailure
from postroom.storage.held import Held, Pair
from postroom.storage.jobs import Job
from postroom.storage.mail import pair_of
from postroom.storage.session import Session
from postroom.storage.writing import WritingSession

_REMEMBERED = 10_000
_PAIR = 2
# For five seconds: as long as a restart of the database may take.
_ASKED_TIMES, _ASK_AGAIN = 50, 0.1
_ENDED = {"committed": True, "aborted": False}


class LocksWanted(BaseException):
    """Ends the first run of a job. No error, so that no operation catches it."""

    def __init__(self, agents: Sequence[Agent] = ()) -> None:
        self.agents = agents


class _Stop:
    """Takes no locks: it ends the first run where the job asks for them."""

    def take(self, agents: Sequence[Agent]) -> Sequence[Agent]:
        """See Locks."""
        raise LocksWanted(agents)


class Directory:
    """Agents as they once were, by id: enough to guess what a job will lock."""

    def __init__(self) -> None:
        self._agents: dict[str, Agent] = {}

    def get(self, id: str) -> Agent | None:
        """The agent as it was, None when it was not met."""
        return self._agents.get(id)

    def learn(self, agents: Iterable[Agent]) -> None:
        """Remember agents."""
        if len(self._agents) > _REMEMBERED:
            self._agents.clear()
        self._agents.update((agent.id, agent) for agent in agents)

    def forget(self) -> None:
        """Forget everything: a guess was wrong."""
        self._agents.clear()


class _SurveySession(Session):
    """A session that must not change anything."""

    directory: Directory

    def agent(self, id: str) -> Agent | None:
        """The agent, perhaps as it once was."""
        known = self.directory.get(id)
        if known is None and (known := super().agent(id)) is not None:
            self.directory.learn([known])
        return known

    def writing(self) -> None:
        """End the survey before the first write."""
        raise LocksWanted


class SurveyFirst:
    """Runs batches on a database with other writers."""

    def __init__(self, wait: Callable[[float], None] = time.sleep) -> None:
        self._directory = Directory()
        self._transaction = ""
        self._wait = wait

    def run(self, connection: Connection, jobs: list[Job]) -> list[Session]:
        """See commit.Runner."""
        wanted = [self._survey(connection, job) for job in jobs]
        numbers = sorted({agent.number for agents in wanted for agent in agents})
        self._transaction, agents = _locked(connection, numbers)
        self._directory.learn(agents)
        held = Held(connection)
        held.hold(agents)
        if pairs := _pairs(wanted):
            held.hold_exchanges(pairs)
        sessions: list[Session] = [run_job(WritingSession(held), job) for job in jobs]
        held.store_reads()
        return sessions

    def forget(self) -> None:
        """See commit.Runner."""
        self._directory.forget()

    def was_committed(self, connection: Connection) -> bool | None:
        """Ask the database, over a new connection, what became of the transaction."""
        for _ in range(_ASKED_TIMES if self._transaction else 0):
            with contextlib.suppress(StoreFailure):
                connection.open()
                row = connection.one(statements.TRANSACTION_STATUS, (self._transaction,))
                if row and row[0] in _ENDED:
                    return _ENDED[row[0]]
            self._wait(_ASK_AGAIN)
        return None

    def _survey(self, connection: Connection, job: Job) -> Sequence[Agent]:
        session = _SurveySession(connection, _Stop())
        session.directory = self._directory
        try:
            job.work(session)
        except LocksWanted as stopped:
            return stopped.agents
        except StoreFailure:
            raise
        except Exception:  # its outcome does not count, whatever it is
            return ()
        return ()


def _pairs(wanted: Iterable[Sequence[Agent]]) -> list[Pair]:
    """The exchanges that jobs will ask for, if those that lock two agents send mail."""
    return sorted({pair_of(a[0].number, a[1].number) for a in wanted if len(a) == _PAIR})


def _locked(connection: Connection, numbers: Sequence[int]) -> tuple[str, list[Agent]]:
    """Lock mailboxes; returns the transaction's id and the agents as they are then."""
    if not numbers:
        return "", []
    holes = ", ".join("?" * len(numbers))
    transaction = connection.all(statements.LOCK.format(holes=holes), numbers)[0][0]
    # A statement of its own sees what others committed while this one waited.
    text = f"{statements.AGENT} WHERE a.number IN ({holes})"
    return transaction, [agent_of(row) for row in connection.all(text, numbers)]
