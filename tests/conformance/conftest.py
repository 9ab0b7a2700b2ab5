"""Most tests empty a database that others have used; some ask for a new one."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from postroom.storage import open_store, sqlite
from postroom.storage.store import Store
from tests.conformance.callers import Desk
from tests.doubles import ManualClock
from tests.operations.conftest import database_url

if TYPE_CHECKING:
    from tests import postgres

__all__ = ["database_url"]
_numbers = itertools.count(1)


@pytest.fixture(autouse=True)
def unflushed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the flushes; only other processes, and tests of files, keep them."""
    monkeypatch.setitem(sqlite._PRAGMAS, "synchronous", "off")


@pytest.fixture
def new_database(store_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database that nobody has opened yet."""
    if store_kind == "sqlite":
        return f"sqlite:///{tmp_path / 'new' / 'mail.db'}"
    server: postgres.Server = request.getfixturevalue("postgres_server")
    return server.new_database(f"new{next(_numbers)}")


@pytest.fixture
def other_store(store: Store, database_url: str, clock: ManualClock) -> Iterator[Store]:
    """Another server's store on the same database."""
    assert store
    opened = open_store(database_url, clock)
    yield opened
    opened.close()


@pytest.fixture
def desk(store: Store, clock: ManualClock) -> Desk:
    """Answers calls from any thread."""
    return Desk(store, clock)
