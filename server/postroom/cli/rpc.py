"""`postroom rpc METHOD`: every unary method of the contract, made from its descriptor."""

from typing import Any

import click

from postroom.cli.command import Part, build, contract
from postroom.cli.environment import NAMES
from postroom.cli.flags import Leaf, leaves, option
from postroom.cli.request import parse
from postroom.cli.source import Source
from postroom.rpc.contract import Contract, Spec

# Flags that every method has; a field of such a name is reached as --request.NAME.
_TAKEN = {"--json", "--output", "--timeout", "--help"}
_TEXT = """Call any method of the server.

Each flag fills a field of the request. What is required is checked by the server.
"""


def make(name: str) -> click.Group:
    """Make the group of all methods."""
    return Methods(contract(), name=name, help=_TEXT, epilog=NAMES)


class Methods(click.Group):
    """The methods of a contract as commands."""

    def __init__(self, source: Contract, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._contract = source
        self._specs = {
            spec.kebab_name: spec
            for spec in source.specs
            if not (spec.streams_requests or spec.streams_responses)
        }

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        """Name the methods in the order of the files."""
        return list(self._specs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click passes it
        """Make one method's command."""
        spec = self._specs.get(cmd_name)
        return method(self._contract, spec) if spec else None


def method(source: Contract, spec: Spec) -> click.Command:
    """Make the command of one method: --json first, so that flags override it."""
    parts = [_whole_request(spec)]
    for i, leaf in enumerate(leaves(source, spec)):
        parts.append(Part(option(leaf, _flag(leaf), f"field_{i}"), leaf.fill))
    return build(spec.kebab_name, spec, spec.doc, parts)


def _flag(leaf: Leaf) -> str:
    return f"--request.{leaf.flag.removeprefix('--')}" if leaf.flag in _TAKEN else leaf.flag


def _whole_request(spec: Spec) -> Part:
    def fill(request: dict[str, Any], given: str, source: Source) -> None:
        request.update(parse(source.text(given), spec.input))

    flag = click.Option(
        ["whole", "--json"],
        metavar="TEXT",
        help="The whole request as JSON; flags override its fields.",
    )
    return Part(flag, fill)
