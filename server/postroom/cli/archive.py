"""`postroom archive` and `postroom recover`: for whoever runs the server, on its machine."""

from pathlib import Path

import click

_DATABASE = click.option(
    "--database",
    metavar="URL",
    help="The server's database.  [POSTROOM_DATABASE_URL; default: a file in the data directory]",
)
_DATA_DIR = click.option(
    "--data-dir",
    metavar="DIRECTORY",
    help="The server's data.  [POSTROOM_DATA_DIR; default: the platform's user data directory]",
)
_TEXT = """Look after the Git archive of messages.

For the person who runs the server, on its machine: these commands read the data directory and
the database themselves, beside a server or without one.
"""


def make(name: str) -> click.Command:
    """Make the group, or the command recover."""
    if name == "recover":
        return _recover
    group = click.Group(name, help=_TEXT)
    for command in (_status, _verify, _checkout, _export):
        group.add_command(command)
    return group


def _with_places(command: click.Command) -> click.Command:
    return _DATABASE(_DATA_DIR(command))


def _of_project(*, required: bool) -> click.Option:
    told = "The key or the id of the project."
    return click.Option(["--project"], metavar="KEY", required=required, help=told)
