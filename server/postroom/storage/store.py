"""The store: reads in the caller's thread or a pool, writes in the writer."""

import asyncio
import concurrent.futures
import time
from abc import ABC, abstractmethod
from typing import Any, TypeVar

from postroom.errors import Expired
from postroom.ports import Clock, Commits, Wakeups, Work, WriteNeeded
from postroom.ports import Session as SessionPort
from postroom.records import Totals
from postroom.storage import message_statements, migrate, statements
from postroom.storage.commit import Committer, Runner
from postroom.storage.database import Connection
from postroom.storage.failures import StoreFailure
from postroom.storage.jobs import Job, settle
from postroom.storage.readers import Readers
from postroom.storage.remembered import Remembered, RememberingSession
from postroom.storage.session import Session
from postroom.storage.writer import PATIENCE, Writer

T = TypeVar("T")


class Store(ABC):
    """Fulfils postroom.ports.Store, on either database."""

    def __init__(
        self,
        connection: Connection,
        runner: Runner,
        clock: Clock,
        wakeups: Wakeups | None,
        commits: Commits | None = None,
    ) -> None:
        self.connection = connection
        self._is_closed = False
        try:
            connection.open()
            migrate.migrate(connection, clock.now(), PATIENCE)
            self._cursor_key = migrate.cursor_key(connection)
        except BaseException:
            connection.close()
            raise
        # Not `if wakeups`: an empty hub is false and would never be told of mail.
        arrived = _nobody if wakeups is None else wakeups.arrived
        committer = Committer(connection, runner, arrived, commits)
        self._writer = Writer(committer.commit, committer.close)

    @property
    def cursor_key(self) -> bytes:
        """See ports.Store.cursor_key."""
        return self._cursor_key

    def read(self, work: Work[T]) -> T:
        """See ports.Store.read."""
        if self._is_closed:
            raise StoreFailure("unavailable")
        try:
            return self._read(work)
        except StoreFailure as failed:
            # A connection that was lost meanwhile has been dropped; a new one may do.
            if failed.kind != "unavailable":
                raise
            return self._read(work)

    def write(self, work: Work[T], until: float | None = None) -> T:
        """See ports.Store.write."""
        reply: concurrent.futures.Future[T] = concurrent.futures.Future()
        self._writer.submit(Job(work, reply, until))
        return reply.result()

    def perform(self, work: Work[T], *, writes: bool, until: float | None) -> asyncio.Future[T]:
        """See ports.Store.perform."""
        reply: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        if writes:
            self._writer.submit(Job(work, reply, until))
        else:
            self.begin_read(Job(work, reply, until))
        return reply

    @abstractmethod
    def begin_read(self, job: Job) -> None:
        """Start a read from an event loop."""

    def reading(self) -> Session:
        """The session of a read, in the thread that it is for."""
        return Session(self.connection, None)

    def check(self) -> None:
        """See ports.Store.check."""

        def work(session: SessionPort) -> None:
            assert isinstance(session, Session)
            session.writing()
            session.connection.run(statements.CHECK)

        self.write(work)

    def sweep(self, *, expired_before: int, answered_before: int, uploaded_before: int = 0) -> int:
        """See ports.Store.sweep."""

        def work(session: SessionPort) -> int:
            assert isinstance(session, Session)
            session.writing()
            run = session.connection.run
            for kept in (message_statements.KEEP_READ_AT, message_statements.KEEP_WRITTEN_TO):
                run(kept, (expired_before,))
            sweeps = (
                (statements.SWEEP_MAIL, expired_before),
                (statements.SWEEP_ANSWERS, answered_before),
                (message_statements.SWEEP_UPLOADS, uploaded_before),
            )
            return sum(run(text, (before,)).rowcount for text, before in sweeps)

        return self.write(work)

    def totals(self) -> Totals:
        """See ports.Store.totals."""

        def work(session: SessionPort) -> Totals:
            assert isinstance(session, Session)
            row = session.connection.all(statements.TOTALS)[0]
            return Totals(int(row[0]), int(row[1] or 0), int(row[2]))

        try:
            return self.read(work)
        finally:
            # Nobody knows whether the thread that asks will ask again.
            self.connection.close()

    def leave(self) -> None:
        """See ports.Store.leave."""
        self.connection.close()

    def close(self) -> None:
        """See ports.Store.close."""
        self._is_closed = True
        self._writer.close()
        self.connection.close()

    def attempt(self, job: Job) -> bool:
        """Read in this thread; False when the writer has taken the job over."""
        if job.is_late(time.monotonic()):
            job.error = Expired()
            return True
        try:
            job.result = self.read(job.work)
        except WriteNeeded:
            self._writer.submit(job)
            return False
        except Exception as error:
            job.error = error
        return True

    def _read(self, work: Work[T]) -> T:
        self.connection.open()
        session = self.reading()
        result = work(session)
        if session.idle or session.used:
            self._write_down_later(session)
        return result

    def _write_down_later(self, session: Session) -> None:
        def write_down(writing: SessionPort) -> None:
            for agent, at in session.idle:
                writing.touch(agent, at)
            for token, at in session.used:
                writing.use_token(token, at)

        forgotten: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._writer.submit(Job(write_down, forgotten))


class InlineStore(Store):
    """Reads on the event loop: they are shorter than handing them to a thread."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._remembered = Remembered()

    def reading(self) -> Session:
        """See Store."""
        return RememberingSession(self.connection, self._remembered.agents(self.connection))

    def begin_read(self, job: Job) -> None:
        """See Store."""
        if self.attempt(job):
            job.settle()


class PooledStore(Store):
    """Reads in a few threads, because each waits for an answer from elsewhere."""

    def __init__(
        self,
        connection: Connection,
        runner: Runner,
        clock: Clock,
        wakeups: Wakeups | None,
        commits: Commits | None = None,
    ) -> None:
        super().__init__(connection, runner, clock, wakeups, commits)
        self._readers = Readers(self._read_and_settle, connection.close)

    def begin_read(self, job: Job) -> None:
        """See Store."""
        self._readers.submit(job)

    def _read_and_settle(self, job: Job) -> None:
        if self.attempt(job):
            settle([job])

    def close(self) -> None:
        """See Store."""
        self._readers.close()
        super().close()


def _nobody(_: frozenset[int]) -> None:
    """There is nobody to wake."""
