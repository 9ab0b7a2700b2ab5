"""Run the jobs of a batch in one transaction, or, when one fails, one by one."""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from postroom.errors import Refusal
from postroom.ports import Commits
from postroom.storage.database import Connection
from postroom.storage.failures import StoreFailure, failure
from postroom.storage.jobs import Job
from postroom.storage.session import Session
from postroom.storage.writer import PATIENCE, drop_late

log = logging.getLogger(__name__)

_ATTEMPTS = 20

Arrived = Callable[[frozenset[int]], None]


class Runner(Protocol):
    """Runs jobs inside an open transaction."""

    def run(self, connection: Connection, jobs: list[Job]) -> list[Session]:
        """Give each job its result or refusal; raise Spoiled when all must be undone."""
        ...

    def forget(self) -> None:
        """Drop what is known of the database: the transaction was undone."""
        ...

    def was_committed(self, connection: Connection) -> bool | None:
        """Whether the last transaction was, after its commit failed; None: unknown."""
        ...


class Spoiled(Exception):
    """The transaction holds half of a call, so it must be undone."""


class Committer:
    """Commits batches through one connection and tells in whose mailboxes mail arrived."""

    def __init__(
        self,
        connection: Connection,
        runner: Runner,
        arrived: Arrived,
        commits: Commits | None = None,
    ) -> None:
        self._connection = connection
        self._runner = runner
        self._arrived = arrived
        self._commits = commits

    def commit(self, jobs: list[Job]) -> None:
        """Give every job its outcome. What has a result is on disk when this returns."""
        try:
            self._transact(jobs)
        except Exception as error:
            self._undo()
            if len(jobs) == 1:
                self._alone(jobs[0], error)
                return
            for job in jobs:
                job.result = job.error = None
            for job in drop_late(_still_patient(jobs, error)):
                self.commit([job])

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _transact(self, jobs: list[Job]) -> None:
        jobs = self._begin(jobs)
        if not jobs:
            return
        begun = time.perf_counter()
        sessions = self._runner.run(self._connection, jobs)
        if not self._finish(jobs):
            return
        if self._commits:
            mails = sum(session.delivered for session in sessions)
            self._commits.committed(len(jobs), mails, time.perf_counter() - begun)
        arrived = frozenset(agent for session in sessions for agent in session.arrived)
        if arrived:
            self._tell(arrived)

    def _tell(self, arrived: frozenset[int]) -> None:
        # The mail is stored: whoever cannot be woken must not undo or repeat it.
        try:
            self._arrived(arrived)
        except Exception:
            log.exception("the arrival of mail could not be told")

    def _finish(self, jobs: list[Job]) -> bool:
        """Commit. False when nobody can tell whether that was done."""
        try:
            self._connection.commit()
        except StoreFailure:
            committed = self._runner.was_committed(self._connection)
            if committed is False:
                raise
            if committed is None:
                for job in jobs:
                    job.error = StoreFailure("unknown")
                return False
        return True

    def _begin(self, jobs: list[Job]) -> list[Job]:
        """Open the transaction; returns the jobs that still wait when it is open.

        Between two looks at a lock, late callers are sent away.
        """
        while jobs:
            try:
                self._connection.begin()
            except StoreFailure as busy:
                if busy.kind != "busy":
                    raise
                jobs = drop_late(_patient(jobs, busy))
            else:
                if waiting := drop_late(jobs):
                    return waiting
                self._connection.rollback()
                break
        return []

    def _undo(self) -> None:
        self._connection.rollback()
        self._runner.forget()

    def _alone(self, job: Job, error: BaseException) -> None:
        """Try a job alone again while it loses races, else give it its error."""
        for _ in range(_ATTEMPTS):
            if not _lost_race(error) or not drop_late([job]):
                break
            try:
                job.error = None
                self._transact([job])
            except Exception as another:
                self._undo()
                error = another
            else:
                return
        job.error = job.error or _told(error)


def run_job(session: Session, job: Job) -> Session:
    """Run one job; a refusal is its outcome.

    Raises Spoiled when the call refused, or failed, after it had written something that
    must not stay.
    """
    try:
        job.result = job.work(session)
    except Refusal as refusal:
        is_half_done = session.writes and not refusal.keeps_writes
        if is_half_done or isinstance(refusal, StoreFailure):
            raise Spoiled from refusal
        job.error = refusal
    return session


def _lost_race(error: BaseException) -> bool:
    if isinstance(error, Spoiled):
        # Without a refusal behind it, the call met agents that it had not locked.
        return error.__cause__ is None
    found = failure(error)
    return found is not None and found.kind == "conflict"


def _told(error: BaseException) -> BaseException:
    if isinstance(error, Spoiled):
        return error.__cause__ or error
    return failure(error) or error


def _still_patient(jobs: list[Job], error: BaseException) -> list[Job]:
    """The jobs to try alone: not those that have waited for a lock long enough."""
    found = failure(error)
    return _patient(jobs, found) if found and found.kind == "busy" else jobs


def _patient(jobs: Iterable[Job], busy: Refusal) -> list[Job]:
    now = time.monotonic()
    kept = []
    for job in jobs:
        if now - job.arrived_at >= PATIENCE:
            job.error = busy
        else:
            kept.append(job)
    return kept
