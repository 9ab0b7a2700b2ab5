"""Builds the short commands over the same calls as `postroom rpc`."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from postroom.cli.command import Part, Then, build, contract, json_switch
from postroom.cli.environment import NAMES
from postroom.cli.flags import Leaf, argument, leaves, option
from postroom.cli.form import Form
from postroom.cli.forms import COMMANDS, GROUPS
from postroom.cli.source import Source


def make(name: str) -> click.Command:
    """Make a short command, or a group of them with its comment."""
    if name in COMMANDS:
        return command(name, COMMANDS[name])
    group = click.Group(name, epilog=NAMES)
    for inner, form in GROUPS[name].items():
        group.add_command(command(inner, form))
    return group


def command(name: str, form: Form) -> click.Command:
    """Make the command of a form."""
    source = contract()
    spec = next(spec for spec in source.specs if spec.name == form.method)
    by_name = {leaf.name: leaf for leaf in leaves(source, spec)}
    start: dict[str, Any] = {}
    for path, value in form.fixed.items():
        _set(start, by_name[path], value)
    parts = list(_parts(form, by_name))
    made = build(name, spec, _text(form, spec.doc, by_name), parts, start, then=_then(form))
    made.params.append(json_switch())
    return made


def _parts(form: Form, by_name: Mapping[str, Leaf]) -> Iterator[Part]:
    for i, path in enumerate(form.arguments):
        yield Part(argument(by_name[path], f"argument_{i}"), by_name[path].fill)
    for i, (flag, path) in enumerate(form.options.items()):
        is_required = flag in form.required
        made = option(by_name[path], flag, f"option_{i}", is_required=is_required)
        yield Part(made, by_name[path].fill)
    for i, (flag, (path, value)) in enumerate(form.switches.items()):
        yield _switch(flag, f"switch_{i}", by_name[path], value)


def _then(form: Form) -> Then | None:
    if form.then is None:
        return None
    wanted = form.then
    spec = next(spec for spec in contract().specs if spec.name == wanted.method)
    flag = click.Option(["then", wanted.flag], is_flag=True, help=wanted.text)
    return Then(flag, spec, wanted.field, wanted.source)


def _switch(flag: str, name: str, leaf: Leaf, value: str) -> Part:
    def fill(request: dict[str, Any], given: bool, _: Source) -> None:
        if given:
            _set(request, leaf, value)

    told = f"The same as {value} for {leaf.name}."
    return Part(click.Option([name, flag], is_flag=True, help=told), fill)


def _set(request: dict[str, Any], leaf: Leaf, value: str) -> None:
    leaf.fill(request, leaf.kind.type(value), Source())


def _text(form: Form, doc: str, by_name: Mapping[str, Leaf]) -> str:
    """The comment of the method, and that of each argument, which click does not list."""
    told = [f"{by_name[path].field.name.upper()}: {by_name[path].help}" for path in form.arguments]
    return "\n\n".join([form.text or doc, *told])
