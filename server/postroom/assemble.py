"""Settings in, a working post room out: the only place where adapters are chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from postroom.archive.commit import Author, BadAuthor
from postroom.archive.courier import Courier
from postroom.archive.shelf import Shelf, projects
from postroom.archive.taking import Taker
from postroom.caller_sessions import CallerSessions
from postroom.clock import SystemClock
from postroom.ids import TimeOrderedIds
from postroom.observe.door import ObservedDoor
from postroom.observe.exposition import Exposition
from postroom.observe.log import Log
from postroom.observe.metrics import CallMetrics, CommitMetrics
from postroom.office import Office
from postroom.page import Cursors
from postroom.ports import Clock, Ids, Store
from postroom.rpc import contract
from postroom.rpc.contract import Contract
from postroom.rpc.messages import mail_of
from postroom.rpc.methods import Registry
from postroom.settings import BadSetting, Settings, variable
from postroom.storage import open_store
from postroom.storage.open import is_missing
from postroom.storage.sqlite import DatabaseLost
from postroom.wakeups import LocalWakeups

if TYPE_CHECKING:
    from postroom.observe.tracing import Tracing


@dataclass(frozen=True)
class PostRoom:
    """The office, the door to its operations, and what can be seen of both."""

    office: Office
    door: ObservedDoor
    contract: Contract
    sessions: CallerSessions
    exposition: Exposition
    # None where nothing is archived.
    courier: Courier | None = None
    tracing: "Tracing | None" = None

    def close(self) -> None:
        """Let go of the database, and send the traces that wait."""
        self.office.store.close()
        if self.tracing:
            self.tracing.close()


def assemble(
    settings: Settings,
    *,
    wakeups: LocalWakeups | None = None,
    trusted: bool = True,
    clock: Clock | None = None,
    ids: Ids | None = None,
    log: Log | None = None,
) -> PostRoom:
    """Open the database and join everything to it. Close it in the end."""
    tracing = _tracing() if settings.traces else None
    clock = clock or SystemClock()
    commits = CommitMetrics()
    author = _author(settings)
    store = _opened(settings, clock, wakeups, commits)
    office = Office(
        store=store,
        clock=clock,
        ids=ids or TimeOrderedIds(clock),
        cursors=Cursors(store.cursor_key),
        watches=wakeups,
        limits=settings.limits,
        messaging=settings.messaging,
        is_trusted=trusted,
        foreign_reads=settings.foreign_reads,
    )
    declared = contract.load()
    calls = CallMetrics(declared.specs)
    registry = Registry(office, declared, trusted=trusted)
    tracer = tracing.tracer if tracing else None
    door = ObservedDoor(registry, calls, log.calls if log else None, tracer)
    exposition = Exposition(calls, commits, store, _Gauges(wakeups, log))
    courier = None
    if settings.archive != "off":
        shelf = Shelf(settings.archive_path, author)
        courier = Courier(Taker(store, shelf, mail_of), shelf)
    return PostRoom(office, door, declared, registry.sessions, exposition, courier, tracing)


def _opened(
    settings: Settings, clock: Clock, wakeups: LocalWakeups | None, commits: CommitMetrics
) -> Store:
    """Open the database. Raises DatabaseLost where an archive is left of one that is gone."""
    archived = any(projects(settings.archive_path))
    if archived and is_missing(settings.database_url):
        raise DatabaseLost(settings.archive_path)
    store = open_store(settings.database_url, clock, wakeups, commits)
    if archived and not store.read(lambda session: session.workflows(after=0, limit=1)):
        store.close()
        raise DatabaseLost(settings.archive_path)
    return store


def _author(settings: Settings) -> Author:
    try:
        return Author(settings.archive_author)
    except BadAuthor as error:
        raise BadSetting(f"{variable('archive_author')}: {error}") from None


@dataclass(frozen=True, slots=True)
class _Gauges:
    """Numbers that their owners keep anyway."""

    wakeups: LocalWakeups | None
    log: Log | None

    def __call__(self) -> tuple[int, int]:
        """How many watches are open, and how many lines of the log were dropped."""
        watches: Sequence[object] | LocalWakeups = () if self.wakeups is None else self.wakeups
        return len(watches), self.log.sink.dropped if self.log else 0


def _tracing() -> "Tracing":
    try:
        from postroom.observe.tracing import Tracing

        return Tracing()
    except ImportError:
        told = (
            "POSTROOM_TRACES needs OpenTelemetry; install postroom with its extra: postroom[otel]"
        )
        raise BadSetting(told) from None
