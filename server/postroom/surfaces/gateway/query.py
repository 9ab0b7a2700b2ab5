"""Query strings and forms, and the fields that they fill."""

import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import unquote_to_bytes

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from postroom.rpc.protojson import Reader
from postroom.surfaces.gateway import formats
from postroom.surfaces.gateway.failure import invalid
from postroom.surfaces.gateway.fields import field_named, is_map
from postroom.surfaces.gateway.values import FROM_TEXT, fill_from_query, scalar

Parameters = list[tuple[str, str]]
FieldPath = tuple[str, ...]

_BRACKETS = re.compile(r"(.*)\[(.*)\]")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_MAP_VALUES = 2


def parameters(text: str) -> Parameters:
    """Split a query string or a form. Raises Failure for a raw ; and for a broken escape."""
    found = []
    for part in filter(None, text.split("&")):
        if ";" in part:
            raise invalid("invalid semicolon separator in query")
        name, _, value = part.partition("=")
        found.append((_unescaped(name), _unescaped(value)))
    return found


def populate(
    message: Message, given: Parameters, bound: Iterable[FieldPath], reader: Reader
) -> None:
    """Fill the fields that the parameters name, but none that is bound. Raises Failure."""
    together: dict[str, list[str]] = {}
    for name, value in given:
        together.setdefault(name, []).append(value)
    for name, values in together.items():
        # Looked at only if it can match, for the search is slow where it cannot.
        brackets = _BRACKETS.fullmatch(name) if name.endswith("]") else None
        if brackets:
            name, values = brackets[1], [brackets[2], *values]  # noqa: PLW2901 - as Go does
        path = _proto_names(message.DESCRIPTOR, name.split("."))
        if not any(path[: len(one)] == one for one in bound):
            set_from_text(message, path, values, reader)


def set_from_text(message: Any, path: Sequence[str], values: Sequence[str], reader: Reader) -> None:
    """Set one field from its texts. Unknown names are passed over. Raises Failure."""
    for name in path[:-1]:
        field = _free(message, name)
        if field is None:
            return
        if not field.message_type or field.is_repeated:
            raise invalid(f'invalid path: "{name}" is not a message')
        message = getattr(message, field.name)
        message.SetInParent()
    field = _free(message, path[-1])
    if field is None:
        return
    if is_map(field):
        _put_entry(message, field, values, reader)
    elif field.is_repeated:
        for value in values:
            _put(message, field, value, reader)
    elif len(values) > 1:
        raise invalid(f'too many values for field "{field.name}": {", ".join(values)}')
    else:
        _put(message, field, values[0], reader)


def _free(message: Any, name: str) -> FieldDescriptor | None:
    """Find a field. Raises Failure if another member of its oneof is set."""
    field = field_named(message.DESCRIPTOR, name)
    oneof = field.containing_oneof if field else None
    if field is None or oneof is None or oneof.name == f"_{field.name}":
        return field
    chosen = message.WhichOneof(oneof.name)
    if chosen and (chosen != field.name or not field.message_type):
        raise invalid(f'field already set for oneof "{oneof.name}"')
    return field


def _put(message: Any, field: FieldDescriptor, text: str, reader: Reader) -> None:
    try:
        if field.message_type:
            _put_message(message, field, text, reader)
        elif field.is_repeated:
            getattr(message, field.name).append(scalar(field, text, formats.decimal))
        else:
            setattr(message, field.name, scalar(field, text, formats.decimal))
    except ValueError as error:
        raise invalid(f'parsing field "{field.name}": {error}') from None


def _put_message(message: Any, field: FieldDescriptor, text: str, reader: Reader) -> None:
    descriptor: Any = field.message_type
    if descriptor.full_name not in FROM_TEXT:
        raise ValueError(f'unsupported message type: "{descriptor.full_name}"')
    held = getattr(message, field.name)
    held = held.add() if field.is_repeated else held
    held.Clear()
    held.SetInParent()
    fill_from_query(held, text, reader)


def _put_entry(message: Any, field: FieldDescriptor, values: Sequence[str], reader: Reader) -> None:
    if len(values) != _MAP_VALUES:
        raise invalid(
            f'more than one value provided for key "{values[0]}" in map "{field.full_name}"'
        )
    entry: Any = field.message_type
    value_field = entry.fields_by_name["value"]
    entries = getattr(message, field.name)
    try:
        key = scalar(entry.fields_by_name["key"], values[0], formats.decimal)
    except ValueError as error:
        raise invalid(f'parsing map key "{field.name}": {error}') from None
    try:
        if not value_field.message_type:
            entries[key] = scalar(value_field, values[1], formats.decimal)
        elif value_field.message_type.full_name in FROM_TEXT:
            fill_from_query(entries[key], values[1], reader)
        else:
            told = value_field.message_type.full_name
            raise ValueError(f'unsupported message type: "{told}"')  # noqa: TRY301 - told below
    except ValueError as error:
        raise invalid(f'parsing map value "{field.name}": {error}') from None


def _proto_names(descriptor: Any, names: Sequence[str]) -> FieldPath:
    """Return the path in proto names, or as it is when it leads nowhere."""
    found = []
    for name in names:
        field = field_named(descriptor, name) if descriptor else None
        if field is None:
            return tuple(names)
        found.append(field.name)
        descriptor = field.message_type
    return tuple(found)


def _unescaped(text: str) -> str:
    if "%" not in text and text.isascii():
        return text.replace("+", " ")
    broken = _BAD_ESCAPE.search(text)
    if broken:
        raise invalid(f'invalid URL escape "{broken[0]}"')
    raw = unquote_to_bytes(text.replace("+", " ").encode("latin-1"))
    return raw.decode("utf-8", "surrogateescape")
