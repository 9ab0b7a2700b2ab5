"""Stand-ins for what is injected: time and ids."""

import threading
from datetime import timedelta

from postroom.instant import SECOND

# 2026-12-01T09:30:00Z
START = 1_796_117_400 * SECOND


class ManualClock:
    """Stands still until it is moved."""

    def __init__(self, now: int = START) -> None:
        self._now = now

    def now(self) -> int:
        """The instant it was set to."""
        return self._now

    def advance(self, **by: float) -> None:
        """Move by a timedelta's keywords, backwards too: advance(days=-1)."""
        self._now += round(timedelta(**by).total_seconds() * SECOND)


class CountingIds:
    """Counts up, so that ids sort in the order in which they were made."""

    def __init__(self) -> None:
        self._count = 0
        self._lock = threading.Lock()

    def new(self, prefix: str) -> str:
        """The next id."""
        with self._lock:
            self._count += 1
            return f"{prefix}{self._count:026d}"
