"""A few threads that read, each with a connection of its own."""

import queue
import threading
from collections.abc import Callable

from postroom.storage.failures import StoreFailure
from postroom.storage.jobs import Job, settle

COUNT = 4


class Readers:
    """Hands jobs to whichever thread is free; closes the connections in the end."""

    def __init__(self, read: Callable[[Job], None], close: Callable[[], None]) -> None:
        self._read = read
        self._close = close
        self._closing = False
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._run, name=f"postroom-reader-{i}", daemon=True)
            for i in range(COUNT)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job) -> None:
        """Put a job behind those that wait. It is settled in any case."""
        if self._closing:
            job.error = StoreFailure("unavailable")
            settle([job])
            return
        self._queue.put(job)

    def close(self) -> None:
        """Finish what was submitted, then end the threads."""
        self._closing = True
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            if not job.is_dropped():
                self._read(job)
        self._close()
