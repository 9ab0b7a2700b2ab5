"""Fixtures: a clock, ids, a store of each kind, and a post room on top of them."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from postroom.office import Messaging
from postroom.storage import open_store
from postroom.storage.store import Store
from tests import postgres
from tests.doubles import CountingIds, ManualClock
from tests.leaving_out import LEFT_OUT, leave_out
from tests.operations.emptying import Reused
from tests.room import Room

STORES = ("sqlite", "postgres")
_NO_POSTGRES = "PostgreSQL was not found"
# Nothing fails for being slow: a machine may be busy. And what fails fails again: new examples
# are looked for where somebody waits for what they show.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize="POSTROOM_SOAK" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")
_numbers = itertools.count(1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs PostgreSQL where PostgreSQL is not installed."""
    if postgres.find_binaries():
        return
    needing = [item for item in items if "postgres" in _store_of(item) or _wants_server(item)]
    leave_out(config, items, needing, _NO_POSTGRES)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a worker tell what it left out; all leave out the same."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = LEFT_OUT


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hear what a worker left out."""
    LEFT_OUT.update(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say in the last lines what was left out, PostgreSQL's in the very last."""
    if not hasattr(config, "workeroutput"):
        for why in sorted(LEFT_OUT, key=lambda why: why == _NO_POSTGRES):
            print(f"{why}: {LEFT_OUT[why]} tests were left out")


def _store_of(item: pytest.Item) -> str:
    call = getattr(item, "callspec", None)
    return str(call.params.get("store_kind", "")) if call else ""


def _wants_server(item: pytest.Item) -> bool:
    return "postgres_server" in getattr(item, "fixturenames", ()) and not _store_of(item)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A PostgreSQL server for the whole run."""
    binaries = postgres.find_binaries()
    assert binaries is not None
    with postgres.running(binaries) as server:
        yield server


@pytest.fixture(scope="session")
def reused_database(postgres_server: postgres.Server) -> Iterator[Reused]:
    """One migrated PostgreSQL database for tests that empty it themselves."""
    url = postgres_server.new_database("reused")
    open_store(url, ManualClock()).close()
    reused = Reused(url)
    yield reused
    reused.close()


@pytest.fixture(params=STORES)
def store_kind(request: pytest.FixtureRequest) -> str:
    """Each store in turn."""
    return str(request.param)


@pytest.fixture
def database_url(store_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new, empty database."""
    if store_kind == "sqlite":
        return f"sqlite:///{tmp_path / 'mail.db'}"
    server: postgres.Server = request.getfixturevalue("postgres_server")
    return server.new_database(f"test{next(_numbers)}")


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands still until it is moved."""
    return ManualClock()


@pytest.fixture
def ids() -> CountingIds:
    """Ids that count up."""
    return CountingIds()


@pytest.fixture
def store(database_url: str, clock: ManualClock) -> Iterator[Store]:
    """An open store on a new database."""
    opened = open_store(database_url, clock)
    yield opened
    opened.close()


@pytest.fixture
def room(store: Store, clock: ManualClock, ids: CountingIds) -> Iterator[Room]:
    """A post room with nobody in it but the operator."""
    opened = Room(store, clock, ids)
    yield opened
    opened.close()


@pytest.fixture
def limited(room: Room) -> Iterator[Callable[..., Room]]:
    """Opens the same post room again with other limits, given as for Room.limited."""
    opened: list[Room] = []

    def open_limited(*messaging: Messaging, **figures: int) -> Room:
        opened.append(room.limited(*messaging, **figures))
        return opened[-1]

    yield open_limited
    for each in opened:
        each.close()
