"""`postroom doctor`: the report, and whether there is a problem in it."""

import json
from dataclasses import asdict

import click

from postroom.cli import escape
from postroom.cli.doctor.finding import Level
from postroom.cli.environment import NAMES
from postroom.cli.failure import OTHER
from postroom.cli.terminal import output, put

_TEXT = """Say what is wrong with this set-up and how to mend it.

Looks at the variables, the server, who you are to it, the files, the database, and MCP clients'
settings in this project. Changes nothing, and needs no running server. Each line is a level (ok,
warning, problem), what was found, and how to mend it. Ends with status 1 when there is a problem.
"""


def make(name: str) -> click.Command:
    """Make the command."""
    params: list[click.Parameter] = [
        click.Option(["--data-dir"], metavar="DIRECTORY", help="As `postroom serve` was given."),
        click.Option(["--database"], metavar="URL", help="As `postroom serve` was given."),
        click.Option(["as_json", "--json"], is_flag=True, help="Print the findings as JSON."),
    ]
    return click.Command(name, params=params, callback=_run, help=_TEXT, epilog=NAMES)


def _run(as_json: bool, **given: str | None) -> None:
    # Imported now: the checks need the libraries of the server as well.
    from postroom.cli.doctor.examine import examine

    found = []
    for each in examine({name: text for name, text in given.items() if text}):
        found.append(each)
        if not as_json:
            parts = (f"{each.level:<7}", each.what, each.mend)
            put(output(), escape.line("  ".join(parts).rstrip()))
    if as_json:
        put(output(), json.dumps({"findings": [asdict(each) for each in found]}, indent=2))
    has_problem = any(each.level is Level.PROBLEM for each in found)
    click.get_current_context().exit(OTHER if has_problem else 0)
