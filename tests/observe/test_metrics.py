"""What /metrics tells after known calls, from both databases."""

import asyncio

import pytest
from prometheus_client.parser import text_string_to_metric_families

from postroom.errors import Code, Refusal
from postroom.observe.door import ObservedDoor
from postroom.observe.exposition import TOTALS_SECONDS, Exposition, code_label
from postroom.observe.metrics import CallMetrics, CommitMetrics
from postroom.office import Limits
from postroom.ports import Store
from postroom.records import Totals
from postroom.rpc.door import Incoming, Outgoing
from postroom.storage import open_store
from tests.doubles import ManualClock
from tests.room import CONTRACT, Room

LABELS = {
    "grpc_type": "unary",
    "grpc_service": "agent.v1.AgentService",
    "grpc_method": "SendMail",
}


class FakeStore:
    """Tells totals, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.error: Refusal | None = None

    def totals(self) -> Totals:
        self.asked += 1
        if self.error:
            raise self.error
        return Totals(waiting=7, capped=2, outbox=3)


class Scraper:
    """A scraper with a watch of its own."""

    def __init__(self, calls: CallMetrics, commits: CommitMetrics, store: Store) -> None:
        self.now = 0.0
        self._exposition = Exposition(calls, commits, store, lambda: (3, 4), lambda: self.now)

    async def values(self) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        scraped = await self._exposition.scrape("text/plain")
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(scraped.content.decode())
            for sample in family.samples
        }

    async def value(self, name: str, **labels: str) -> float | None:
        return (await self.values()).get((name, frozenset(labels.items())))


def _scraper(store: object) -> Scraper:
    return Scraper(CallMetrics(CONTRACT.specs), CommitMetrics(), store)  # type: ignore[arg-type]


def test_known_calls_give_known_values(database_url: str, clock: ManualClock) -> None:
    commits, calls = CommitMetrics(), CallMetrics(CONTRACT.specs)
    store = open_store(database_url, clock, None, commits)
    room = Room(store, clock, limits=Limits(exchange=2))
    try:
        asyncio.run(_calls(room, calls, Scraper(calls, commits, store)))
    finally:
        room.close()
        store.close()


async def _calls(room: Room, calls: CallMetrics, scraper: Scraper) -> None:
    door = ObservedDoor(room.registry, calls)
    spec = next(spec for spec in CONTRACT.specs if spec.name == "SendMail")

    async def send(caller: str, to: str) -> None:
        request = spec.request_class(to=to, body="hello")
        metadata = (("postroom-agent-id", caller),)
        await door.call(spec, request, Incoming(metadata), Outgoing())

    alfa = await room.begin("CreateAgent", name="alfa", workflow="main")
    bravo = await room.begin("CreateAgent", name="bravo", workflow="main")
    one, two = alfa.agent.id, bravo.agent.id  # type: ignore[attr-defined]
    await send(one, two)
    await send(two, one)
    for _ in range(3):
        with pytest.raises(Refusal, match="exchange"):
            await send(one, two)
    found = await scraper.values()

    def value(name: str, **labels: str) -> float | None:
        return found.get((name, frozenset(labels.items())))

    assert value("grpc_server_started_total", **LABELS) == 5
    assert value("grpc_server_handled_total", **LABELS, grpc_code="OK") == 2
    assert value("grpc_server_handled_total", **LABELS, grpc_code="ResourceExhausted") == 3
    assert value("grpc_server_handling_seconds_count", **LABELS) == 5
    assert value("grpc_server_handling_seconds_bucket", **LABELS, le="+Inf") == 5
    assert value("postroom_refused_total", reason="EXCHANGE_CAPPED") == 3
    # Two that were written, and a notice to each of the pair.
    assert value("postroom_mail_sent_total") == 4
    assert value("postroom_mail_waiting") == 2
    assert value("postroom_exchanges_capped") == 1
    assert value("postroom_archive_waiting") == 0
    assert value("postroom_watches_open") == 3
    assert value("postroom_log_lines_dropped_total") == 4
    assert (value("postroom_commit_calls_count") or 0) >= 4


def test_no_label_names_an_agent() -> None:
    labels = asyncio.run(_scraper(FakeStore()).values())
    names = {name for _, found in labels for name, _ in found if not _.startswith("python")}
    process = {"implementation", "major", "minor", "patchlevel", "version", "generation"}
    assert names - process <= {*LABELS, "grpc_code", "le", "reason"}


def test_the_database_is_asked_once_for_several_scrapers() -> None:
    store = FakeStore()

    async def scrape() -> None:
        scraper = _scraper(store)
        await asyncio.gather(*(scraper.values() for _ in range(5)))
        scraper.now += TOTALS_SECONDS - 0.1
        assert await scraper.value("postroom_mail_waiting") == 7
        assert store.asked == 1
        scraper.now += 0.2
        await scraper.values()

    asyncio.run(scrape())
    assert store.asked == 2


def test_a_database_that_cannot_be_asked_leaves_out_its_own_series_alone() -> None:
    store = FakeStore()
    store.error = Refusal("gone", Code.UNAVAILABLE, "STORE_UNAVAILABLE")
    values = asyncio.run(_scraper(store).values())
    names = {name for name, _ in values}
    assert "postroom_mail_waiting" not in names
    assert "postroom_watches_open" in names


def test_every_method_has_its_series_from_the_start() -> None:
    values = asyncio.run(_scraper(FakeStore()).values())
    started = [key for key in values if key[0] == "grpc_server_started_total"]
    assert len(started) == len(CONTRACT.specs)


@pytest.mark.parametrize(
    ("code", "label"),
    [("OK", "OK"), ("CANCELLED", "Canceled"), ("NOT_FOUND", "NotFound"), ("INTERNAL", "Internal")],
)
def test_codes_are_spelt_as_dashboards_expect(code: str, label: str) -> None:
    assert code_label(code) == label


def test_the_totals_of_a_new_database_are_nought(store: Store) -> None:
    assert store.totals() == Totals(0, 0, 0)
