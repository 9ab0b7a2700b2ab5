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
from postroom.surfaces.gateway.values import FROM_TEXT, fill_from_query, scalar, unicode

Parameters = list[tuple[str, str]]
FieldPath = tuple[str, ...]

_BRACKETS = re.compile(r"(.*)\[(.*)\]", re.DOTALL)
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
        brackets = _BRACKETS.fullmatch(name)
        if brackets:
            name, values = brackets[1], [brackets[2], *values]  # noqa: PLW2901
        path = _proto_names(message.DESCRIPTOR, name.split("."))
        if not any(path[: len(one)] == one for one in bound):
            _populate_one(message, path, values, reader)


def set_from_text(message: Message, path: Sequence[str], values: Sequence[str], reader: Reader) -> None:
    """Set one field from text by the rules of the query. Raises Failure."""
    _populate_one(message, path, values, reader)


def _populate_one(
    message: Any, path: Sequence[str], values: Sequence[str], reader: Reader
) -> None:
    for name in path[:-1]:
        field = _field(message, name)
        if field is None:
            return
        if not field.message_type or field.is_repeated:
            raise invalid(f'invalid path: "{name}" is not a message')
        message = getattr(message, field.name)
        message.SetInParent()
    field = _field(message, path[-1])
    if field is None:
        return
    if field.message_type and field.message_type.GetOptions().map_entry:
        _put_entry(message, field, values, reader)
    elif field.is_repeated:
        for value in values:
            _put(message, field, value, reader)
    elif len(values) > 1:
        raise invalid(f'too many values for field "{field.name}": {", ".join(values)}')
    else:
        _put(message, field, values[0], reader)


def _field(message: Any, name: str) -> FieldDescriptor | None:
    field: FieldDescriptor | None = message.DESCRIPTOR.fields_by_name.get(
        name
    ) or message.DESCRIPTOR.fields_by_camelcase_name.get(name)
    if field is not None and field.containing_oneof:
        chosen = message.WhichOneof(field.containing_oneof.name)
        is_synthetic = len(field.containing_oneof.fields) == 1 and not _declared(field)
        if chosen and not is_synthetic and (chosen != field.name or not field.message_type):
            raise invalid(f'field already set for oneof "{field.containing_oneof.name}"')
    return field
