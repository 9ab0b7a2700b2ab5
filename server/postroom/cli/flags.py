"""The fields of a request as flags: one for each scalar, dotted for nested messages."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import click
from google.protobuf.descriptor import Descriptor

from postroom.cli.kinds import Kind, kind_of
from postroom.cli.request import is_map, is_well_known, put
from postroom.cli.source import Source
from postroom.rpc.contract import Contract, Field, Spec


@dataclass(frozen=True)
class Leaf:
    """A field that one flag fills: where it is in the request, and what it takes."""

    path: tuple[Field, ...]

    @property
    def field(self) -> Field:
        """The field itself."""
        return self.path[-1]

    @property
    def name(self) -> str:
        """Such as pagination.limit."""
        return ".".join(field.name for field in self.path)

    @property
    def flag(self) -> str:
        """Such as --reply-to or --pagination.limit."""
        return f"--{self.name.replace('_', '-')}"

    @cached_property
    def kind(self) -> Kind:
        """What it takes."""
        return kind_of(self.field.descriptor, self.field.words)

    @property
    def is_list(self) -> bool:
        """Whether the flag may be repeated, a value each time."""
        return self.field.repeated and not is_map(self.field.descriptor)

    @property
    def help(self) -> str:
        """The field's comment and its limits."""
        limits = ", ".join(_limits(self))
        return f"{self.field.doc}  [{limits}]" if limits else self.field.doc

    def fill(self, request: dict[str, Any], given: Any, source: Source) -> None:
        """Put what was given on the command line into the request."""
        read = self.kind.read
        value = [read(one, source) for one in given] if self.is_list else read(given, source)
        put(request, [field.json_name for field in self.path], value)


def leaves(contract: Contract, spec: Spec) -> Iterator[Leaf]:
    """Every field of the request that a flag can fill, in order."""
    for field in spec.fields:
        yield from _leaves(contract, (field,), (spec.input,))


def _leaves(
    contract: Contract, path: tuple[Field, ...], within: tuple[Descriptor, ...]
) -> Iterator[Leaf]:
    field = path[-1]
    message = field.message
    # A list of messages, and a message inside its own kind, are given as JSON.
    if message is None or field.repeated or message in within or is_well_known(message):
        yield Leaf(path)
        return
    for inner in contract.fields(message):
        yield from _leaves(contract, (*path, inner), (*within, message))


def _limits(leaf: Leaf) -> Iterator[str]:
    field = leaf.field
    if field.required and len(leaf.path) == 1:
        yield "required"
    if field.max_characters:
        yield f"at most {field.max_characters:,} characters"
    if field.max_bytes:
        yield f"at most {field.max_bytes:,} bytes"
    if field.minimum is not None:
        yield f"at least {field.minimum}"
    if leaf.is_list:
        yield f"repeatable, at most {field.max_items}" if field.max_items else "repeatable"


class _Required(click.Option):
    """An option that must be given; an error names it with its opposite."""

    def get_error_hint(self, ctx: click.Context | None) -> str:  # noqa: ARG002 - click passes it
        return " or ".join(f"'{flag}'" for flag in (*self.opts, *self.secondary_opts))


def option(leaf: Leaf, flag: str, name: str, *, is_required: bool = False) -> click.Option:
    """Make the option that fills a field; a flag may name its own opposite, as --on/--off."""
    kind = leaf.kind
    is_switch = kind.is_switch and not leaf.is_list
    if is_switch and "/" not in flag:
        flag = f"{flag}/--no-{flag.removeprefix('--')}"
    make = _Required if is_required else click.Option
    return make(
        [name, flag],
        type=kind.type,
        multiple=leaf.is_list,
        # To click a default of None is a value, which a required option would be content with.
        **{"required": True} if is_required else {"default": None},
        metavar=None if is_switch else _metavar(leaf) or None,
        help=leaf.help,
        shell_complete=_completion(kind.choices) if kind.choices else None,
    )


def _metavar(leaf: Leaf) -> str:
    """What stands for the value; a short flag such as --ttl does not tell the unit by its name."""
    return "SECONDS" if leaf.field.name.endswith("_seconds") else leaf.kind.metavar


def argument(leaf: Leaf, name: str) -> click.Argument:
    """Make the argument that fills a field by its place; its comment stands in the usage."""
    return click.Argument([name], type=leaf.kind.type, metavar=leaf.field.name.upper())


def _completion(choices: tuple[str, ...]) -> Any:
    def complete(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(typed)]

    return complete
