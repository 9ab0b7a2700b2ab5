"""`python -m bench`: measure, and print the table."""

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench import report
from bench.cells import Cell, Gun
from bench.h2load import H2load
from bench.options import parse
from bench.python_load import PythonLoad
from bench.sections import Section, sections
from bench.target import Load
from bench.trouble import Trouble


def main(arguments: Sequence[str]) -> int:
    """Measure what is asked for; returns 1 when something broke, else 0."""
    options, load = parse(arguments), _load()
    print(report.opening(options, load), flush=True)
    measured: list[Cell] = []
    broken = False
    for section in sections(options, Gun(load, options.seconds)):
        try:
            measured += _run(section, options.rounds)
        except Trouble as trouble:
            broken = True
            print(f"{section.name} broke: {trouble}", file=sys.stderr, flush=True)
    print(report.table(measured))
    if options.json:
        report.write(options.json, report.document(options, load, measured))
    return int(broken)


def _load() -> Load:
    program = shutil.which("h2load")
    return H2load(program) if program else PythonLoad()


def _run(section: Section, rounds: int) -> Sequence[Cell]:
    folder = tempfile.TemporaryDirectory(prefix="postroom-bench-")
    with folder, section.open(Path(folder.name)) as cells:
        for turn in range(rounds):
            for cell in cells:
                cell.samples.append(cell.measure(turn))
            print(f"{section.name}: round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
        return cells


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
