import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from postroom.rpc.methods import Registry
from postroom.wakeups import LocalWakeups
from tests.room import CONTRACT, Room

Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def store_kind() -> str:
    """One store is enough: what the stores promise is tested elsewhere."""
    return "sqlite"


@pytest.fixture
def registry(room: Room) -> Registry:
    return room.registry


@pytest.fixture
def waiting(room: Room) -> Callable[[], Registry]:
    """Makes, on a running loop, a door behind which one can wait for mail."""

    def make() -> Registry:
        wakeups = LocalWakeups(asyncio.get_running_loop())
        return Registry(replace(room.office, watches=wakeups), CONTRACT)

    return make
