"""`postroom archive` and `postroom recover`: for whoever runs the server, on its machine."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

_PLACES = (
    (
        "--database",
        "URL",
        "The server's database.  [POSTROOM_DATABASE_URL; default: a file in the data directory]",
    ),
    (
        "--data-dir",
        "DIRECTORY",
        "The server's data.  [POSTROOM_DATA_DIR; default: the platform's user data directory]",
    ),
)
_KEY = "The project, by its key or id."
_GROUP = """Look after the Git archive of messages.

For the person who runs the server, on its machine: these commands read the data directory and
the database themselves, beside a running server or without one.
"""
_STATUS = "Show each project's archive: its newest commit, and what still waits to be taken."
_VERIFY = """Compare the archive with the database and the attachments.

Prints a line for each fault and ends with exit status 1 when there is one.
"""
_CHECKOUT = """Write the files of a project's archive into a folder.

The folder must be new, empty, or an earlier checkout of the same project, which is brought up to
date.
"""
_EXPORT = "Write the files of a project's archive into a new .tar, .tar.gz or .zip file."
_RECOVER = """Rebuild a lost database from the archive.

Brings back projects, agents, messages with their copies and threads, and attachments, all under
their old ids, and says what it could not bring back. It touches no database that is there.
"""


def make(name: str) -> click.Command:
    """Make the group, or the command recover."""
    if name == "recover":
        return _command(name, "recover", _RECOVER)
    group = click.Group(name, help=_GROUP)
    wanted = click.Option(["--project"], metavar="KEY", required=True, help=_KEY)
    one = click.Option(["--project"], metavar="KEY", help=f"{_KEY} Else all of them.")
    folder = click.Argument(["target"], metavar="DIRECTORY", type=click.Path(path_type=Path))
    file = click.Argument(["target"], metavar="FILE", type=click.Path(path_type=Path))
    as_json = click.Option(["as_json", "--json"], is_flag=True, help="Print JSON.")
    for command in (
        _command("status", "status", _STATUS, as_json),
        _command("verify", "verify", _VERIFY, one, as_json),
        _command("checkout", "checkout", _CHECKOUT, wanted, folder),
        _command("export", "export", _EXPORT, wanted, file),
    ):
        group.add_command(command)
    return group


def _command(name: str, work: str, text: str, *more: click.Parameter) -> click.Command:
    places = [click.Option([flag], metavar=word, help=told) for flag, word, told in _PLACES]
    return click.Command(
        name,
        params=[*more, *places],
        callback=_calling(work),
        help=text,
        short_help=text.split("\n\n", maxsplit=1)[0],
    )


def _calling(work: str) -> Callable[..., None]:
    def call(database: str | None, data_dir: str | None, **given: Any) -> None:
        # Imported now: the database's libraries take longer to load than help takes.
        from postroom.cli import archiving, recover
        from postroom.cli.places import Places

        named = {"database": database, "data_dir": data_dir}
        places = Places({name: value for name, value in named.items() if value})
        module = recover if work == "recover" else archiving
        click.get_current_context().exit(getattr(module, work)(places, **given))

    return call
