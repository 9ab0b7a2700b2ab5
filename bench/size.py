"""The same calls on a large store and on a small one: how much longer they take."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from agent.v1 import agent_service_pb2 as messages
from bench import goals
from bench.cells import Cell, Gun, Sample, Variant, longer
from bench.census import Census
from bench.houses import House, house
from bench.options import Options
from bench.placement import Placement
from bench.running import server
from bench.spread import Cast
from bench.stage import Stage

SMALL = 1_000
_CALLS_PER_SECOND = 200
_LABELS = {
    "send": "SendMail",
    "list": "ListMail",
    "list_oldest": "ListMail near the oldest",
    "read": "ReadMail",
}
Pair = tuple[House, House]


@contextlib.contextmanager
def cells(
    options: Options, gun: Gun, placement: Placement, folder: Path
) -> Iterator[Sequence[Cell]]:
    """All cells of this kind, with both stores and a server on each open."""
    with contextlib.ExitStack() as stack:
        large = stack.enter_context(house(folder / "large.db", options.mails))
        small = stack.enter_context(house(folder / "small.db", SMALL))
        stages = [stack.enter_context(_stage(one, placement, folder)) for one in (large, small)]
        calls = max(20, int(_CALLS_PER_SECOND * options.seconds))
        found = []
        for kind, name in _LABELS.items():
            label = f"{name} at {options.mails:,} / at {SMALL:,} mails"
            inside = _inside(kind, (large, small), calls)
            slow, quick = _variant(kind, stages[0], large), _variant(kind, stages[1], small)
            wire = longer(gun, slow, quick)
            found.append(Cell("size", f"{label}, in-process", goals.SIZE, inside))
            found.append(Cell("size", f"{label}, gRPC 1 stream", goals.SIZE, wire))
        yield found


@contextlib.contextmanager
def _stage(house: House, placement: Placement, folder: Path) -> Iterator[Stage]:
    casts = {
        "SendMail": Cast(house.others, [house.hot]),
        "ListMail": Cast([house.hot]),
        "ReadMail": Cast([house.hot]),
    }
    with server(house.database, casts, placement.server, folder) as running:
        yield Stage(running, house.room, Census(house.database), casts)


def _variant(kind: str, stage: Stage, house: House) -> Variant:
    if kind == "send":
        return stage.send(1)
    if kind == "read":
        return stage.read(1)
    request = messages.ListMailRequest()
    if kind == "list_oldest":
        request.pagination.cursor = house.cursor
    return stage.list(1, request.SerializeToString())


def _inside(kind: str, houses: Pair, calls: int) -> Callable[[int], Sample]:
    large, small = houses

    def measure(turn: int) -> Sample:
        first = small.seconds(kind, calls) if turn % 2 else None
        slow = large.seconds(kind, calls)
        quick = first or small.seconds(kind, calls)
        return Sample(slow / quick, 1 / slow, 1 / quick)

    return measure
