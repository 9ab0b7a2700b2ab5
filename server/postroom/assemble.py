"""Settings in, a working post room out: the only place where adapters are chosen."""

from dataclasses import dataclass

from postroom.clock import SystemClock
from postroom.ids import TimeOrderedIds
from postroom.office import Office
from postroom.page import Cursors
from postroom.ports import Clock, Ids
from postroom.rpc import contract
from postroom.rpc.contract import Contract
from postroom.rpc.methods import Registry
from postroom.settings import Settings
from postroom.storage import open_store
from postroom.wakeups import LocalWakeups


@dataclass(frozen=True)
class PostRoom:
    """The office and the door to its operations."""

    office: Office
    registry: Registry
    contract: Contract


def assemble(
    settings: Settings,
    *,
    wakeups: LocalWakeups | None = None,
    trusted: bool = True,
    clock: Clock | None = None,
    ids: Ids | None = None,
) -> PostRoom:
    """Open the database and join everything to it. Close `office.store` in the end."""
    clock = clock or SystemClock()
    store = open_store(settings.database_url, clock, wakeups)
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
    return PostRoom(office, Registry(office, declared, trusted=trusted), declared)
