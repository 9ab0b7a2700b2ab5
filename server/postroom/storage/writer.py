"""The writer: one thread that commits the writes of many calls together.

A call alone never waits for company. In company the writer waits 1 ms before it
begins, because a commit costs more than that many calls do (docs/performance.md).
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable

from postroom.errors import Expired
from postroom.storage.failures import StoreFailure
from postroom.storage.jobs import Job, settle

log = logging.getLogger(__name__)

LARGEST_BATCH = 256
COMPANY_DELAY = 0.001
# reliability.md P16: a lock of somebody else's is waited for this long at most.
PATIENCE = 5.0

Commit = Callable[[list[Job]], None]


class Writer:
    """Collects jobs, commits them in groups, then tells every outcome."""

    def __init__(self, commit: Commit, close: Callable[[], None]) -> None:
        self._commit = commit
        self._close = close
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._had_company = False
        self._closing = False
        self._gate = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="postroom-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Put a job behind those that wait. It is settled in any case."""
        with self._gate:
            if not self._closing:
                self._queue.put(job)
                return
        job.error = StoreFailure("unavailable")
        settle([job])

    def close(self) -> None:
        """Commit what was submitted, then end the thread."""
        with self._gate:
            self._closing = True
            self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            batch = self._gather(first)
            self._work_off(batch)
        self._work_off([job for job in self._waiting() if job is not None])
        self._close()

    def _gather(self, first: Job) -> list[Job]:
        batch = [first, *self._drain(LARGEST_BATCH - 1)]
        if len(batch) > 1 or self._had_company:
            time.sleep(COMPANY_DELAY)
            batch += self._drain(LARGEST_BATCH - len(batch))
        self._had_company = len(batch) > 1
        return batch

    def _drain(self, most: int) -> Iterable[Job]:
        jobs: list[Job] = []
        while len(jobs) < most:
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._queue.put(None)
                break
            jobs.append(job)
        return jobs

    def _waiting(self) -> Iterable[Job | None]:
        while True:
            try:
                yield self._queue.get_nowait()
            except queue.Empty:
                return

    def _work_off(self, batch: list[Job]) -> None:
        try:
            jobs = drop_late(batch)
            if jobs:
                self._commit(jobs)
        except BaseException as error:
            log.exception("the writer failed")
            for job in batch:
                job.error = job.error or error
        settle(batch)


def drop_late(jobs: Iterable[Job]) -> list[Job]:
    """The jobs whose callers still wait; the others are given their error."""
    now = time.monotonic()
    kept = []
    for job in jobs:
        if job.is_late(now):
            job.error = Expired()
        elif not job.is_dropped():
            kept.append(job)
    return kept
