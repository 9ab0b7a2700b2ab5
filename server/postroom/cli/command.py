"""A method of the contract as a command: from flags to a request, a call, and output."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

import click

from postroom.cli.environment import NAMES
from postroom.cli.source import Source
from postroom.rpc.contract import Contract, Spec, load

_LONGEST_WAIT = 24 * 60 * 60
_AS_JSON = "as_json"
_TEXTS = (
    "A TEXT is taken from a file as @FILE and from standard input as -; write @@ for one that "
    "begins with @."
)
Fill = Callable[[dict[str, Any], Any, Source], None]


@dataclass(frozen=True, slots=True)
class Part:
    """One parameter of a command, and how it fills the request with what was given."""

    parameter: click.Parameter
    fill: Fill


@dataclass(frozen=True, slots=True)
class Then:
    """A second call that a flag asks for; it takes one value of the first call's answer."""

    flag: click.Option
    spec: Spec
    field: str
    source: Sequence[str]

    def request(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Make its request."""
        value: Any = answer
        for name in self.source:
            value = value[name]
        return {self.field: value}


@cache
def contract() -> Contract:
    """The contract, read once and only when a command needs it."""
    return load()


def build(
    name: str,
    spec: Spec,
    text: str,
    parts: Sequence[Part],
    start: Mapping[str, Any] | None = None,
    *,
    then: Then | None = None,
) -> click.Command:
    """Make the command that calls a method; the request begins as `start`."""

    def run(form: str | None, seconds: float, **given: Any) -> None:
        as_json = given.pop(_AS_JSON, False)
        more = then if then and given.pop(then.flag.name) else None
        request = deepcopy(dict(start or {}))
        _fill_all(request, parts, given)
        # Imported now: help is shown without what only a call needs.
        from postroom.cli.calling import call

        call(spec, request, "json" if as_json else form, seconds, more)

    return click.Command(
        name,
        params=[*(part.parameter for part in parts), *([then.flag] if then else []), *_settings()],
        callback=run,
        help=text,
        short_help=text.split("\n\n", maxsplit=1)[0],
        epilog=f"{_TEXTS}\n\n{NAMES}",
    )


def json_switch() -> click.Option:
    """The flag --json of commands where it does not give the request."""
    return click.Option([_AS_JSON, "--json"], is_flag=True, help="Short for --output json.")


def _fill_all(request: dict[str, Any], parts: Sequence[Part], given: Mapping[str, Any]) -> None:
    source = Source()
    for part in parts:
        value = given[part.parameter.name or ""]
        if value is not None and value != ():
            _fill(part, request, value, source)


def _fill(part: Part, request: dict[str, Any], value: Any, source: Source) -> None:
    try:
        part.fill(request, value, source)
    except click.UsageError as error:
        shown = part.parameter.get_error_hint(click.get_current_context())
        raise click.UsageError(f"{shown}: {error.message}", click.get_current_context()) from error


def output_choice() -> click.Option:
    """The flag --output."""
    return click.Option(
        ["form", "--output"],
        type=click.Choice(["json", "table"]),
        help="How to print the answer; a table on a terminal, else JSON.",
    )


def _settings() -> tuple[click.Option, click.Option]:
    return (
        output_choice(),
        click.Option(
            ["seconds", "--timeout"],
            type=_seconds,
            default="30",
            show_default=True,
            metavar="SECONDS",
            help="How long to wait for the answer.",
        ),
    )


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is not a number of seconds") from error
    if not 0 < seconds <= _LONGEST_WAIT:
        raise click.BadParameter(f"{value} is not between 0 and {_LONGEST_WAIT}")
    return seconds
