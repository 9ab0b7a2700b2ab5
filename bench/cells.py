"""Cells of the table, and how one is measured: shots of two variants, side by side."""

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.goals import Bound
from bench.target import Load, Measured, Target

# The first shot at a variant finds out how many requests a shot needs.
_FIRST = 200


@dataclass(frozen=True)
class Sample:
    """One round's value, and the two figures that it was made from."""

    value: float
    ours: float
    other: float


@dataclass
class Cell:
    """One line of the table."""

    key: str
    label: str
    bound: Bound
    measure: Callable[[int], Sample]
    samples: list[Sample] = field(default_factory=list)

    @property
    def value(self) -> float:
        """The median over the rounds."""
        return statistics.median(sample.value for sample in self.samples)


def _nothing(_: object) -> None:
    """Neither to prepare nor to check."""


@dataclass(frozen=True)
class Variant:
    """A target, what it needs before a shot of n requests, and how to check the shot.

    A shot takes a multiple of `step` requests, and at most `largest`.
    """

    target: Target
    prepare: Callable[[int], None] = _nothing
    check: Callable[[Measured], None] = _nothing
    step: int = 1
    largest: int = 10**6

    def fit(self, count: float) -> int:
        """The nearest number of requests that is possible."""
        least = math.ceil(max(self.target.streams * 2, 1) / self.step)
        return max(least, round(count / self.step)) * self.step


class Gun:
    """Shoots variants for about `seconds` each."""

    def __init__(self, load: Load, seconds: float) -> None:
        self._load = load
        self._seconds = seconds
        # By identity: two alike may stand on different servers.
        self._counts: dict[int, int] = {}

    def rate(self, variant: Variant) -> float:
        """Requests per second in one shot."""
        return self.shoot(variant).rate

    def shoot(self, variant: Variant, *, keep_latencies: bool = False) -> Measured:
        """Measure once. Raises Trouble when an answer is missing or wrong."""
        return self.fire(variant, self.count(variant), keep_latencies=keep_latencies)

    def count(self, variant: Variant) -> int:
        """How many requests a shot takes; found out by a first, shorter one."""
        count = self._counts.get(id(variant))
        if count is None:
            first = self.fire(variant, variant.fit(_FIRST))
            count = self._counts[id(variant)] = variant.fit(first.rate * self._seconds)
        return count

    def fire(self, variant: Variant, count: int, *, keep_latencies: bool = False) -> Measured:
        """Send exactly so many requests, in parts where the variant asks for it."""
        parts = []
        while count > 0:
            part = min(count, variant.largest)
            variant.prepare(part)
            measured = self._load.run(variant.target, part, keep_latencies=keep_latencies)
            variant.check(measured)
            parts.append(measured)
            count -= part
        return _joined(parts)


def _joined(parts: list[Measured]) -> Measured:
    return Measured(
        sum(part.count for part in parts),
        sum(part.seconds for part in parts),
        sum(part.payload for part in parts),
        [latency for part in parts for latency in part.latencies],
    )


def against(gun: Gun, ours: Variant, other: Variant) -> Callable[[int], Sample]:
    """Measure ours/other by rates, taking turns in who comes first."""

    def measure(turn: int) -> Sample:
        first = gun.rate(ours) if turn % 2 else None
        others = gun.rate(other)
        rate = first or gun.rate(ours)
        return Sample(rate / others, rate, others)

    return measure


def longer(gun: Gun, ours: Variant, other: Variant) -> Callable[[int], Sample]:
    """Measure ours/other by the time that a request takes."""
    by_rate = against(gun, other, ours)

    def measure(turn: int) -> Sample:
        found = by_rate(turn)
        return Sample(found.value, found.other, found.ours)

    return measure


def tail(gun: Gun, variant: Variant) -> Callable[[int], Sample]:
    """Measure p99/p50 of the latencies, in milliseconds."""

    def measure(_: int) -> Sample:
        latencies = gun.shoot(variant, keep_latencies=True).latencies
        cuts = statistics.quantiles(latencies, n=100)
        return Sample(cuts[98] / cuts[49], cuts[98] * 1000, cuts[49] * 1000)

    return measure
