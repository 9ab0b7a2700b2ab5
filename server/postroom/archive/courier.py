"""The courier: takes what the outbox holds to Git, behind the backs of those who send."""

import asyncio
import contextlib
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from postroom.archive import compaction
from postroom.archive.git import ArchiveFailure
from postroom.archive.lock import Held
from postroom.archive.shelf import Shelf
from postroom.archive.taking import Round, Taker
from postroom.errors import Refusal

log = logging.getLogger(__name__)

# What another server has stored is found by looking; what this one has, by being woken.
LOOK_SECONDS = 1.0
# Between two rounds, so that a commit holds what was sent meanwhile.
GATHER_SECONDS = 0.4
_LONGEST_PAUSE_SECONDS = 30.0
_TOLD_EVERY = 10


class Courier:
    """Runs round after round. For one event loop; the work is in one thread of its own."""

    def __init__(
        self,
        taker: Taker,
        shelf: Shelf,
        *,
        look_seconds: float = LOOK_SECONDS,
        gather_seconds: float = GATHER_SECONDS,
    ) -> None:
        self._taker = taker
        self._look_seconds, self._gather_seconds = look_seconds, gather_seconds
        self._shelf = shelf
        self._woken = asyncio.Event()
        self._failures = 0
        # How many entries the last round left.
        self.left = 0

    @property
    def is_behind(self) -> bool:
        """Whether something waits that could not be archived when it was tried."""
        return self._failures > 0

    def wake(self) -> None:
        """Something was stored. Called on the loop."""
        self._woken.set()

    def is_awake(self) -> bool:
        """Whether a round is to come that has not begun to look. From any thread."""
        return self._woken.is_set()

    async def run_for_ever(self) -> None:
        """Take what comes, until cancelled; the commit that was begun is brought to its end."""
        loop = asyncio.get_running_loop()
        thread = ThreadPoolExecutor(1, "courier")
        try:
            while True:
                # What is stored from here on is told again, or found by this round.
                self._woken.clear()
                await self._go(loop.run_in_executor(thread, self.round))
        finally:
            self._taker.stop()
            # Comes after whatever the thread still does.
            await loop.run_in_executor(thread, self._taker.leave)
            thread.shutdown(wait=False)

    def round(self) -> Round:
        """Take everything now, and join packs that have become many. Blocks."""
        done = self._taker.take_all()
        for project_id in done.touched:
            folder = self._shelf.folder(project_id)
            if compaction.is_due(folder):
                _compact(folder)
        return done

    async def _go(self, work: asyncio.Future[Round]) -> None:
        try:
            done = await work
        except Refusal as refusal:
            self._failed(str(refusal))
        else:
            self._note(done)
        await asyncio.sleep(min(self._gather_seconds * 2**self._failures, _LONGEST_PAUSE_SECONDS))
        if not self.is_behind:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), self._look_seconds)

    def _note(self, done: Round) -> None:
        self.left = done.left
        if done.troubles:
            self._failed("; ".join(sorted(set(done.troubles.values()))))
        elif self.is_behind:
            log.info("the archive has caught up")
            self._failures = 0

    def _failed(self, why: str) -> None:
        # Once, and then again at lengths, since the pauses grow to half a minute.
        if self._failures % _TOLD_EVERY == 0:
            log.warning("the archive is behind, %d pieces wait: %s", self.left, why)
        self._failures += 1


def _compact(folder: Path) -> None:
    try:
        compaction.compact(folder)
    except Held:
        log.debug("somebody reads %s; its packs are joined another time", folder)
    except ArchiveFailure as failure:
        log.warning("the packs of %s were not joined: %s", folder, failure)
