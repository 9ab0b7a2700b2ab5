"""Settings in, a working post room out: the only place where adapters are chosen."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from postroom import archived
from postroom.archive.courier import Courier
from postroom.attaching.collect import Attacher
from postroom.caller_sessions import CallerSessions
from postroom.clock import SystemClock
from postroom.ids import TimeOrderedIds
from postroom.observe.door import ObservedDoor
from postroom.observe.exposition import Exposition
from postroom.observe.log import Log
from postroom.observe.metrics import CallMetrics, CommitMetrics
from postroom.office import Office
from postroom.page import Cursors
from postroom.ports import Clock, Ids
from postroom.project_files import ProjectFiles
from postroom.rpc import contract
from postroom.rpc.contract import Contract
from postroom.rpc.methods import Registry
from postroom.settings import BadSetting, Settings
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
    attacher: Attacher
    # None where nothing is archived.
    courier: Courier | None = None
    tracing: "Tracing | None" = None

    def close(self) -> None:
        """End conversions, let go of the database, and send the traces that wait."""
        asyncio.run(self.attacher.close())
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
    attacher = Attacher(settings.attachment_folders, [settings.data_path])
    clock = clock or SystemClock()
    commits = CommitMetrics()
    store = archived.database(settings, clock, wakeups, commits)
    office = Office(
        store=store,
        clock=clock,
        ids=ids or TimeOrderedIds(clock),
        cursors=Cursors(store.cursor_key),
        watches=wakeups,
        files=ProjectFiles(settings.archive_path),
        attaching=attacher,
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
    courier = archived.courier(settings, store)
    return PostRoom(
        office, door, declared, registry.sessions, exposition, attacher, courier, tracing
    )


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
