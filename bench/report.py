"""The table, and the same figures as JSON."""

import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.cells import Cell
from bench.options import Options
from bench.target import Load

_HEADS = ("", "ratio", "[lo-hi]", "floor", "goal", "", "ours", "other")
_SYNCS = 20


def opening(options: Options, load: Load) -> str:
    """What is measured, where and with what."""
    return (
        f"{options.rounds} rounds of {options.seconds:g} s, load from {load.name}, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, "
        f"fsync {_sync_seconds() * 1000:.2f} ms"
    )


def table(cells: Sequence[Cell]) -> str:
    """One line for each cell, in columns."""
    lines = [_HEADS, *map(_columns, cells)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(_HEADS))]
    return "\n".join(_joined(line, widths) for line in lines)


def document(options: Options, load: Load, cells: Sequence[Cell]) -> dict[str, Any]:
    """Everything that was measured, for a file."""
    return {
        "load": load.name,
        "rounds": options.rounds,
        "seconds": options.seconds,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "cells": [_cell(cell) for cell in cells],
    }


def write(file: Path, told: dict[str, Any]) -> None:
    """Write the figures as JSON."""
    file.write_text(json.dumps(told, indent=2) + "\n")


def _columns(cell: Cell) -> tuple[str, ...]:
    values = [sample.value for sample in cell.samples]
    bound = cell.bound
    return (
        cell.label,
        f"{cell.value:.2f}",
        f"[{min(values):.2f}-{max(values):.2f}]",
        _figure(bound.floor, at_most=bound.at_most),
        _figure(bound.goal, at_most=bound.at_most),
        bound.verdict(cell.value),
        f"{statistics.median(sample.ours for sample in cell.samples):,.0f}",
        f"{statistics.median(sample.other for sample in cell.samples):,.0f}",
    )


def _figure(bound: float | None, *, at_most: bool) -> str:
    if bound is None:
        return "-"
    return f"{'<=' if at_most else ''}{bound:.2f}"


def _joined(line: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (text.rjust(width) for text, width in zip(line, widths, strict=True))
    return "  ".join([first.strip().ljust(widths[0]), *others]).rstrip()


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "name": cell.key,
        "label": cell.label,
        "ratio": cell.value,
        "ratios": [sample.value for sample in cell.samples],
        "ours": [sample.ours for sample in cell.samples],
        "other": [sample.other for sample in cell.samples],
        "floor": cell.bound.floor,
        "goal": cell.bound.goal,
        "verdict": cell.bound.verdict(cell.value),
    }


def _sync_seconds() -> float:
    """How long a flush takes here: sends wait for one, and a memory disk has none."""
    times = []
    with tempfile.TemporaryFile() as file:
        for _ in range(_SYNCS):
            file.write(bytes(4096))
            file.flush()
            begun = time.perf_counter()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - begun)
    return statistics.median(times)
