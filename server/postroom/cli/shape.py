"""A response as labelled text, by its descriptor: nothing here knows any method."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from postroom.cli import escape
from postroom.cli.kinds import short
from postroom.cli.request import is_map, is_well_known

Entry = tuple[str, str]


@dataclass(slots=True)
class Shape:
    """The parts of a response: lists of rows, single things, and what stands beside them."""

    lists: list[tuple[str, list[list[Entry]]]] = field(default_factory=list)
    blocks: list[list[Entry]] = field(default_factory=list)
    rest: list[Entry] = field(default_factory=list)


def shape(message: Descriptor, value: Mapping[str, Any]) -> Shape:
    """Sort the fields of a response into its parts."""
    found = Shape()
    known = {one.json_name: one for one in message.fields}
    for name, item in value.items():
        kind = _inner(known.get(name))
        if kind and isinstance(item, list):
            rows = [list(entries(kind, row)) for row in item if isinstance(row, dict)]
            found.lists.append((label(name), rows))
        elif kind and isinstance(item, dict):
            found.blocks.append(list(entries(kind, item)))
        else:
            found.rest.append((label(name), text(item, known.get(name))))
    return found


def entries(message: Descriptor, value: Mapping[str, Any], before: str = "") -> Iterator[Entry]:
    """Each field that was sent, as label and text; inner messages are spread out."""
    known = {one.json_name: one for one in message.fields}
    for name, item in value.items():
        inner = _inner(known.get(name))
        if inner and isinstance(item, dict):
            yield from entries(inner, item, f"{before}{label(name)} ")
        else:
            yield before + label(name), text(item, known.get(name))


def label(json_name: str) -> str:
    """Such as `created at` for createdAt."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", json_name).lower()


def text(value: Any, field: FieldDescriptor | None) -> str:
    """One value for a person to read."""
    if isinstance(value, str):
        return short(field.enum_type, value) if field and field.enum_type else value
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return ", ".join(text(item, field) for item in value)
    inner = _inner(field)
    if inner and isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return "\n".join(_summary(inner, item) for item in value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _summary(message: Descriptor, value: Mapping[str, Any]) -> str:
    """One message of a list within a row, on a line of its own."""
    shown = ((name, escape.line(told)) for name, told in entries(message, value))
    return ", ".join(f"{name} {told}" for name, told in shown if told)


def _inner(field: FieldDescriptor | None) -> Descriptor | None:
    if field is None or field.message_type is None or is_map(field):
        return None
    return None if is_well_known(field.message_type) else field.message_type
