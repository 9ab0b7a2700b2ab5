"""Twelve image bombs (S7): the server's memory stays, and each is over in bounded time."""

import asyncio
from pathlib import Path

import pytest

from postroom.attaching import bounds
from postroom.attaching.failures import Failure, Unusable
from postroom.attaching.pool import Workers
from tests.attaching.bombs import BOMBS

LARGEST_GROWTH = 64 * 1024
LONGEST_SECONDS = 12
TOO_MUCH = {Failure.TOO_MANY_PIXELS, Failure.TOO_MANY_FRAMES, Failure.TOO_COSTLY}
# On a quick machine the long animation is converted in time, and is then too long.
TOO_MUCH |= {Failure.TOO_BIG_WHEN_CONVERTED}


def test_there_are_twelve_bombs_and_all_are_small() -> None:
    assert len(BOMBS) == 12
    assert bounds.SECONDS < LONGEST_SECONDS
    assert bounds.PROCESSOR_SECONDS < LONGEST_SECONDS


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_or_done_and_the_server_does_not_grow(name: str) -> None:
    data = BOMBS[name]()
    before = _memory("VmRSS")
    # From here on the highest figure is counted anew.
    Path("/proc/self/clear_refs").write_text("5")
    failure = asyncio.run(_outcome(data))
    assert _memory("VmHWM") - before <= LARGEST_GROWTH
    # Text and profile that do not unpack make a file unsound; what follows the pixels is cut.
    if name.startswith("half a gigabyte"):
        assert failure is Failure.BAD_IMAGE
    elif name != "a gigabyte behind the pixels":
        assert failure in TOO_MUCH


async def _outcome(data: bytes) -> Failure | None:
    workers = Workers()
    try:
        # Twice the bound, so that a worker which is not ended fails the test.
        await asyncio.wait_for(workers.convert(data), 2 * LONGEST_SECONDS)
    except Unusable as unusable:
        return unusable.failure
    finally:
        await workers.close()
    return None


def _memory(name: str) -> int:
    """A figure of this process's memory, in KiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))
