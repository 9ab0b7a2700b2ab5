"""The counters in Prometheus' text form."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from postroom.errors import Refusal
from postroom.observe.metrics import CallMetrics, CommitMetrics, Distribution, Series
from postroom.ports import Store
from postroom.records import Totals
from postroom.rpc.contract import Spec

# Scrapers come every 15 s or so; several at once ask the database once.
TOTALS_SECONDS = 5.0
# Go's spelling, which the dashboards for these series expect.
_SPELT = {"OK": "OK", "CANCELLED": "Canceled"}
_LABELS = ("grpc_type", "grpc_service", "grpc_method")


class Scraped(NamedTuple):
    """An answer to a scraper."""

    content: bytes
    content_type: str


class Exposition:
    """Writes out what was counted in this process and what the database holds."""

    def __init__(
        self,
        calls: CallMetrics,
        commits: CommitMetrics,
        store: Store,
        gauges: Callable[[], tuple[int, int]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`gauges` tells how many watches are open and how many log lines were dropped."""
        self._registry = CollectorRegistry(auto_describe=False)
        for process in (ProcessCollector, PlatformCollector, GCCollector):
            process(registry=self._registry)
        self._collector = _Collector(calls, commits, gauges)
        self._registry.register(self._collector)
        self._store = store
        self._clock = clock
        self._asked_at: float | None = None
        self._asking = asyncio.Lock()

    async def scrape(self, accept: str) -> Scraped:
        """Everything, in the form that a scraper's Accept header asks for."""
        async with self._asking:
            if self._asked_at is None or self._clock() - self._asked_at >= TOTALS_SECONDS:
                self._collector.totals = await self._totals()
                self._asked_at = self._clock()
        encode, content_type = choose_encoder(accept)
        return Scraped(encode(self._registry), content_type)

    async def _totals(self) -> Totals | None:
        """What the database holds; None, and no such series, when it cannot be asked."""
        try:
            return await asyncio.to_thread(self._store.totals)
        except Refusal:
            return None


class _Collector(Collector):
    """Turns plain numbers into Prometheus' families, at each scrape."""

    def __init__(
        self, calls: CallMetrics, commits: CommitMetrics, gauges: Callable[[], tuple[int, int]]
    ) -> None:
        self._calls = calls
        self._commits = commits
        self._gauges = gauges
        self.totals: Totals | None = None

    def collect(self) -> Iterator[Metric]:
        """See Collector."""
        yield from _of_calls(self._calls.series)
        refused = CounterMetricFamily(
            "postroom_refused", "Requests that were refused, by the reason told.", labels=["reason"]
        )
        for reason, count in sorted(self._calls.refused.items()):
            refused.add_metric([reason], count)
        yield refused
        yield from self._of_store()
        watches, dropped = self._gauges()
        yield GaugeMetricFamily("postroom_watches_open", "Watches that are open.", watches)
        yield CounterMetricFamily(
            "postroom_log_lines_dropped", "Lines that nobody took from stderr.", dropped
        )

    def _of_store(self) -> Iterator[Metric]:
        commits = self._commits
        told = "Pieces of mail that this server stored, notices included."
        yield CounterMetricFamily("postroom_mail_sent", told, commits.mails)
        yield _plain("postroom_commit_calls", "Calls that were committed together.", commits.calls)
        yield _plain("postroom_commit_seconds", "Time that a commit took.", commits.seconds)
        if self.totals:
            told = "Plain mail that waits in the mailboxes of the database."
            yield GaugeMetricFamily("postroom_mail_waiting", told, self.totals.waiting)
            told = "Pairs of agents that have spent their exchange."
            yield GaugeMetricFamily("postroom_exchanges_capped", told, self.totals.capped)
            told = "Messages and mail that the archive has still to take."
            yield GaugeMetricFamily("postroom_archive_waiting", told, self.totals.outbox)


def _of_calls(series: Iterable[Series]) -> Iterator[Metric]:
    started = CounterMetricFamily("grpc_server_started", "Calls that began.", labels=_LABELS)
    handled = CounterMetricFamily(
        "grpc_server_handled", "Calls that ended, by code.", labels=(*_LABELS, "grpc_code")
    )
    seconds = HistogramMetricFamily(
        "grpc_server_handling_seconds", "Time from a call's begin to its end.", labels=_LABELS
    )
    for each in series:
        labels = [_type(each.spec), each.spec.service, each.spec.name]
        started.add_metric(labels, each.started)
        for code, count in sorted(each.handled.items()):
            handled.add_metric([*labels, code_label(code)], count)
        seconds.add_metric(labels, _buckets(each.seconds), each.seconds.sum)
    yield from (started, handled, seconds)


def code_label(code: str) -> str:
    """A code as these series have always spelt it: NOT_FOUND is NotFound, OK is OK."""
    return _SPELT.get(code) or "".join(part.capitalize() for part in code.split("_"))


def _type(spec: Spec) -> str:
    return "server_stream" if spec.streams_responses else "unary"


def _plain(name: str, told: str, values: Distribution) -> Metric:
    family = HistogramMetricFamily(name, told)
    family.add_metric([], _buckets(values), values.sum)
    return family


def _buckets(values: Distribution) -> list[tuple[str, float]]:
    """Prometheus counts in each bucket whatever is below its bound."""
    found, below = [], 0
    for bound, count in zip((*map(float, values.bounds), float("inf")), values.counts, strict=True):
        below += count
        found.append(("+Inf" if bound == float("inf") else repr(bound), float(below)))
    return found
