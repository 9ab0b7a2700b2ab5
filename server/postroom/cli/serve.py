"""`postroom serve`: hands the options that were given to the server."""

from typing import NamedTuple

import click


class Option(NamedTuple):
    """An option, the variable behind it, and what holds when neither is set."""

    flag: str
    metavar: str
    variable: str
    default: str
    text: str


OPTIONS = (
    Option("--grpc", "ADDRESS", "POSTROOM_GRPC", "127.0.0.1:50051", "Where to serve gRPC."),
    Option("--http", "ADDRESS", "POSTROOM_HTTP", "127.0.0.1:8787", "Where to serve HTTP."),
    Option(
        "--database",
        "URL",
        "POSTROOM_DATABASE_URL",
        "a file in the data directory",
        "sqlite:///FILE or postgresql://HOST/NAME. A password belongs in the variable: other users "
        "can see it here.",
    ),
    Option(
        "--data-dir",
        "DIRECTORY",
        "POSTROOM_DATA_DIR",
        "the platform's user data directory",
        "Where the server keeps its data.",
    ),
    Option("--log-level", "LEVEL", "POSTROOM_LOG_LEVEL", "info", "debug, info, warning or error."),
)
_TEXT = """Run the post room until it is told to stop.

With no option it works on a fresh machine, for this machine alone. Once it is ready it prints
a line for each listener, such as `http 127.0.0.1:8787`; port 0 picks a free one.
"""


def make(name: str) -> click.Command:
    """Make the command."""
    options: list[click.Parameter] = [_option(option) for option in OPTIONS]
    return click.Command(name, params=options, callback=_run, help=_TEXT)


def _option(option: Option) -> click.Option:
    told = f"{option.text}  [{option.variable}; default: {option.default}]"
    return click.Option([option.flag], metavar=option.metavar, help=told)


def _run(**given: str | None) -> None:
    overrides = {key: value for key, value in given.items() if value is not None}
    # Imported now: a server's libraries take longer to load than a call to it takes.
    from postroom.serve import run  # noqa: PLC0415

    click.get_current_context().exit(run(overrides))
