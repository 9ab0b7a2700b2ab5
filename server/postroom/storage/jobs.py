"""Writes that wait for the writer, and how their outcome is told."""

import asyncio
import concurrent.futures
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from postroom.ports import Work

Reply = concurrent.futures.Future[Any] | asyncio.Future[Any]


@dataclass(slots=True, eq=False)
class Job:
    """One piece of work for the writer.

    `until` is the instant of time.monotonic after which it is not begun any more.
    """

    work: Work[Any]
    reply: Reply
    until: float | None = None
    arrived_at: float = field(default_factory=time.monotonic)
    result: Any = None
    error: BaseException | None = None

    def is_dropped(self) -> bool:
        """Whether the caller went away; reading a flag is safe from any thread."""
        return self.reply.cancelled()

    def is_late(self, now: float) -> bool:
        """Whether the caller's deadline has passed."""
        return self.until is not None and now >= self.until

    def settle(self) -> None:
        """Hand the outcome over, in the thread that the reply belongs to."""
        if self.reply.done():
            return
        if self.error is not None:
            self.reply.set_exception(self.error)
        else:
            self.reply.set_result(self.result)


def settle(jobs: Iterable[Job]) -> None:
    """Tell all outcomes, waking each event loop once."""
    by_loop: defaultdict[asyncio.AbstractEventLoop, list[Job]] = defaultdict(list)
    for job in jobs:
        if isinstance(job.reply, asyncio.Future):
            by_loop[job.reply.get_loop()].append(job)
        else:
            job.settle()
    for loop, its_jobs in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_settle_all, its_jobs)


def _settle_all(jobs: Iterable[Job]) -> None:
    for job in jobs:
        job.settle()
