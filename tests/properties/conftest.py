"""One post room on SQLite for all examples of a test; each example brings its own agents."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from postroom.office import Limits
from postroom.storage import open_store
from tests.doubles import CountingIds, ManualClock
from tests.operations.conftest import frugal
from tests.room import Room

__all__ = ["frugal"]
TTL = 7 * 24 * 3600
LIMITS = Limits(exchange=6, mailbox=4, mail_ttl=TTL)


@pytest.fixture
def small_room(tmp_path: Path) -> Iterator[Room]:
    """A post room whose limits are soon reached."""
    clock = ManualClock()
    store = open_store(f"sqlite:///{tmp_path / 'mail.db'}", clock)
    room = Room(store, clock, CountingIds(), LIMITS)
    yield room
    room.close()
    store.close()
