"""What is counted of calls and commits, in plain numbers that cost a call next to nothing.

Calls are counted on the event loop alone and commits in the store's writer alone, so no
lock is needed; they are read by exposition.py.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from postroom.observe.ended import LEFT, OK
from postroom.rpc.contract import Spec

# Upper bounds in seconds. The longest are for calls that wait for mail.
CALL_BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)
COMMIT_BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)
BATCH_BOUNDS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Distribution:
    """How many values lay up to each bound, and their sum."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value


class Series:
    """The calls of one method."""

    __slots__ = ("answers", "failures", "seconds", "spec", "started")

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.started = 0
        self.answers = 0
        self.failures: Counter[str] = Counter()
        self.seconds = Distribution(CALL_BOUNDS)

    def answered(self, seconds: float) -> None:
        """Count a call that was answered."""
        self.answers += 1
        self.seconds.add(seconds)

    @property
    def handled(self) -> Mapping[str, int]:
        """How many calls ended with each code."""
        return {OK: self.answers, **self.failures}


class CallMetrics:
    """Counts calls."""

    def __init__(self, specs: Iterable[Spec]) -> None:
        self._series = {spec.full_name: Series(spec) for spec in specs}
        self.refused: Counter[str] = Counter()

    @property
    def series(self) -> Iterable[Series]:
        """What was counted of each method."""
        return self._series.values()

    def begun(self, spec: Spec) -> Series:
        """Count a call that has arrived; returns where its end is counted."""
        series = self._series[spec.full_name]
        series.started += 1
        return series

    def failed(self, series: Series, code: str, reason: str, seconds: float) -> None:
        """Count a call that was refused, or whose caller left."""
        series.failures[code] += 1
        series.seconds.add(seconds)
        if code != LEFT:
            self.refused[reason] += 1

    def turned_away(self, reason: str) -> None:
        """Count a request that was refused before it became a call."""
        self.refused[reason] += 1


class CommitMetrics:
    """Counts what the store's writer does. Fulfils ports.Commits."""

    def __init__(self) -> None:
        self.mails = 0
        self.calls = Distribution(BATCH_BOUNDS)
        self.seconds = Distribution(COMMIT_BOUNDS)

    def committed(self, calls: int, mails: int, seconds: float) -> None:
        """See ports.Commits."""
        self.mails += mails
        self.calls.add(calls)
        self.seconds.add(seconds)
