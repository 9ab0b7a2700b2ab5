"""The command line."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.placement import FREE, PINNED, Placement, can_pin

NAMES = (
    "send",
    "list",
    "read",
    "tail",
    "json-send",
    "json-list",
    "postgres",
    "two-servers",
    "size",
    "messages",
    "courier",
    "search",
)


@dataclass(frozen=True)
class _Extent:
    seconds: float
    rounds: int
    mails: int
    archived: int
    searched: int


_QUICK = _Extent(0.3, 2, 50_000, 2_000, 10_000)
_WHOLE = _Extent(1.0, 5, 1_000_000, 50_000, 200_000)


@dataclass(frozen=True)
class Options:
    """What to measure, for how long, and in how much mail or how many messages."""

    seconds: float
    rounds: int
    mails: int
    archived: int
    searched: int
    names: frozenset[str]
    placements: Sequence[Placement]
    json: Path | None


def parse(arguments: Sequence[str]) -> Options:
    """Read the command line; exits when it is wrong."""
    parser = _parser()
    given = parser.parse_args(arguments)
    names = frozenset(given.only.split(",")) if given.only else frozenset(NAMES)
    if unknown := sorted(names - set(NAMES)):
        parser.error(f"--only knows {', '.join(NAMES)}, not {', '.join(unknown)}")
    extent = _QUICK if given.quick else _WHOLE
    return Options(
        seconds=given.seconds or extent.seconds,
        rounds=given.rounds or extent.rounds,
        mails=extent.mails,
        archived=extent.archived,
        searched=extent.searched,
        names=names,
        placements=_placements(given.placement),
        json=given.json,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--seconds", type=float, help="of each shot (default 1)")
    parser.add_argument("--rounds", type=int, help="over which medians are taken (default 5)")
    parser.add_argument("--only", metavar="NAME,...", help=f"some of {', '.join(NAMES)}")
    parser.add_argument(
        "--quick", action="store_true", help="0.3 s, 2 rounds and small stores: only a check"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    where = parser.add_mutually_exclusive_group()
    for name, told in (
        ("pinned", "server on core 0, load on core 1"),
        ("free", "neither pinned"),
        ("both", "one after the other (default)"),
    ):
        where.add_argument(
            f"--{name}", dest="placement", action="store_const", const=name, help=told
        )
    parser.set_defaults(placement="both")
    return parser


def _placements(asked: str) -> Sequence[Placement]:
    if asked != "free" and not can_pin():
        print("skipped: pinned rows, because two cores cannot be chosen here")
        return (FREE,)
    return {"both": (PINNED, FREE), "pinned": (PINNED,), "free": (FREE,)}[asked]
