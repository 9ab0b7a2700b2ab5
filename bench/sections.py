"""The parts of a run: each opens its servers and yields cells to measure."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench import archiving, cluster, messages, searching, size, two_servers
from bench.cells import Cell, Gun
from bench.options import Options
from bench.pairs import Pairs
from bench.placement import Placement, on
from bench.server import HAS_JSON
from bench.stage import stage

Open = Callable[[Path], AbstractContextManager[Sequence[Cell]]]
_ON_SQLITE = frozenset({"send", "list", "read", "tail", "json-send", "json-list"})


@dataclass(frozen=True)
class Section:
    """A part of a run: open it with a folder for its files."""

    name: str
    open: Open


def sections(options: Options, gun: Gun) -> Iterator[Section]:
    """The sections that the options ask for."""
    for placement in options.placements:
        if options.names & _ON_SQLITE:
            opening = partial(_sqlite, options, gun, placement)
            yield Section(f"SQLite, {placement.name}", opening)
    if "size" in options.names:
        yield Section("size", partial(_size, options, gun, options.placements[0]))
    yield from _of_messages(options, gun)
    if options.names & {"postgres", "two-servers"}:
        yield from _on_postgres(options, gun)


def _of_messages(options: Options, gun: Gun) -> Iterator[Section]:
    if "messages" in options.names:
        for placement in options.placements:
            yield Section(f"messages, {placement.name}", partial(messages.cells, gun, placement))
    if "courier" in options.names:
        yield Section("courier", partial(archiving.cells, options.archived))
    if "search" in options.names:
        yield Section("search", partial(searching.cells, options))


def _on_postgres(options: Options, gun: Gun) -> Iterator[Section]:
    if not cluster.is_installed():
        print("skipped: PostgreSQL, which is not installed")
        return
    if "postgres" in options.names:
        for placement in options.placements:
            yield Section(f"PostgreSQL, {placement.name}", partial(_postgres, gun, placement))
    if "two-servers" in options.names:
        yield Section("two servers", partial(_two_servers, gun))


@contextlib.contextmanager
def _sqlite(
    options: Options, gun: Gun, placement: Placement, folder: Path
) -> Iterator[Sequence[Cell]]:
    database = f"sqlite:///{folder / 'mail.db'}"
    with on(placement.load), stage(database, folder, placement) as open_stage:
        yield list(_cells(options, Pairs(open_stage, gun, placement.name)))


def _cells(options: Options, pairs: Pairs) -> Iterator[Cell]:
    for kind in ("send", "list", "read"):
        if kind in options.names:
            yield from pairs.grpc(kind)
    if "tail" in options.names:
        yield pairs.tail()
    for kind in ("send", "list"):
        if f"json-{kind}" in options.names:
            if HAS_JSON:
                yield from pairs.json(kind)
            else:
                print(f"skipped: json-{kind}, because this postroom has no JSON gateway")


@contextlib.contextmanager
def _size(
    options: Options, gun: Gun, placement: Placement, folder: Path
) -> Iterator[Sequence[Cell]]:
    with on(placement.load), size.cells(options, gun, placement, folder) as cells:
        yield cells


@contextlib.contextmanager
def _postgres(gun: Gun, placement: Placement, folder: Path) -> Iterator[Sequence[Cell]]:
    # The database is started before the load is pinned, so that it is not.
    with cluster.cluster() as databases, on(placement.load):
        database = databases.new_database()
        with stage(database, folder, placement, only_sends=True) as opened:
            yield [Pairs(opened, gun, placement.name).postgres()]


@contextlib.contextmanager
def _two_servers(gun: Gun, folder: Path) -> Iterator[Sequence[Cell]]:
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(cluster.cluster()).new_database()
        yield stack.enter_context(two_servers.cells(database, gun, folder))
