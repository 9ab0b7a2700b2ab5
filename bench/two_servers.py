"""Two servers on one PostgreSQL against one of them alone."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench import goals
from bench.cells import Cell, Gun, Sample, Variant
from bench.census import Count
from bench.placement import PINNED, Cores, Placement, can_pin
from bench.running import server
from bench.spread import Cast
from bench.stage import AGENTS, Stage, stage
from bench.target import Measured

_STREAMS = 64
_NAME = "SendMail through two servers"


@contextlib.contextmanager
def cells(database: str, gun: Gun, folder: Path) -> Iterator[Sequence[Cell]]:
    """The one cell; each server has a core of its own where cores can be chosen."""
    first, second = (PINNED.server, PINNED.load) if can_pin() else (Cores(), Cores())
    own = Placement("own cores", first)
    with stage(database, folder, own, only_sends=True) as alone:
        # The second begins with other agents: the two should not move in step.
        people = alone.casts["SendMail"].callers
        turned = [*people[AGENTS // 2 :], *people[: AGENTS // 2]]
        with server(database, {"SendMail": Cast(turned, turned)}, second, folder) as running:
            other = Stage(running, alone.room, alone.census, alone.casts)
            label = f"PostgreSQL gRPC SendMail, two servers / one, {_STREAMS} streams each"
            yield [Cell("two-servers", label, goals.TWO_SERVERS, _measure(gun, alone, other))]


def _measure(gun: Gun, one: Stage, two: Stage) -> Callable[[int], Sample]:
    # Rows are counted for both together, so neither checks its own.
    variants = [Variant(stage.send(_STREAMS).target) for stage in (one, two)]
    count = gun.count(variants[0])

    def measure(_: int) -> Sample:
        one.census.remember()
        alone = gun.fire(variants[0], count)
        with ThreadPoolExecutor(len(variants)) as pool:
            shots = list(pool.map(gun.fire, variants, [count] * 2))
        sent = alone.count + sum(shot.count for shot in shots)
        one.census.must_have_changed(_NAME, Count(sent, sent, sent, sent))
        return Sample(_together(shots) / alone.rate, _together(shots), alone.rate)

    return measure


def _together(shots: Sequence[Measured]) -> float:
    return sum(shot.count for shot in shots) / max(shot.seconds for shot in shots)
