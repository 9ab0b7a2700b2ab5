"""A request as JSON: read strictly, and filled field by field."""

import json
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import click
from google.protobuf.descriptor import Descriptor, FieldDescriptor

Json = Any


def parse(text: str, message: Descriptor) -> dict[str, Json]:
    """Read a request. Every name in it must be a field of the message."""
    value = parse_value(text)
    if not isinstance(value, dict):
        raise click.UsageError(f"a request is a JSON object, not {text.strip()[:1] or 'nothing'!r}")
    return _object(value, message, "")


def parse_value(text: str) -> Json:
    """Read any JSON value; a name that stands twice is refused, and so is NaN."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"not valid JSON: {error}") from error


def checked(value: Json, field: FieldDescriptor, path: str) -> Json:
    """Return a field's value under JSON names; types are left to the server."""
    message = field.message_type
    if message is None or is_well_known(message):
        return value
    if is_map(field):
        return _map(value, message.fields_by_name["value"], path)
    if isinstance(value, list):
        return [_message(item, message, f"{path}[{i}]") for i, item in enumerate(value)]
    return _message(value, message, path)


def put(request: dict[str, Json], path: Sequence[str], value: Json) -> None:
    """Set one field, making the messages around it."""
    for name in path[:-1]:
        inner = request.get(name)
        request[name] = inner if isinstance(inner, dict) else {}
        request = request[name]
    request[path[-1]] = value


def is_map(field: FieldDescriptor) -> bool:
    """Whether the field maps keys to values."""
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def is_well_known(message: Descriptor) -> bool:
    """Whether protobuf itself gives the message a JSON form of its own."""
    return message.full_name.startswith("google.protobuf.")


def _map(value: Json, of: FieldDescriptor, path: str) -> Json:
    if not isinstance(value, dict):
        return value
    return {key: checked(item, of, f"{path}[{key!r}]") for key, item in value.items()}


def _message(value: Json, message: Descriptor, path: str) -> Json:
    return _object(value, message, f"{path}.") if isinstance(value, dict) else value


def _object(value: Mapping[str, Json], message: Descriptor, path: str) -> dict[str, Json]:
    fields = {name: f for f in message.fields for name in (f.name, f.json_name)}
    found: dict[str, Json] = {}
    for name, item in value.items():
        if name not in fields:
            raise click.UsageError(
                _unknown(path + name, name, (f.json_name for f in message.fields))
            )
        field = fields[name]
        if field.json_name in found:
            raise click.UsageError(f"{path}{field.json_name} is given twice")
        found[field.json_name] = checked(item, field, path + name)
    return found


def _unknown(path: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"the fields are: {', '.join(names)}"
    return f"there is no field {path}; {hint}"


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} is given twice")
    return found


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON value")
