"""Finding fields by the names that requests and rules use."""

from collections.abc import Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor


def field_named(descriptor: Any, name: str) -> FieldDescriptor | None:
    """Find a field by its proto name, else by its JSON name."""
    found: FieldDescriptor | None = descriptor.fields_by_name.get(name)
    if found is None:
        found = next((field for field in descriptor.fields if field.json_name == name), None)
    return found


def field_at(descriptor: Any, path: Sequence[str]) -> FieldDescriptor:
    """Find a field by its path in proto names. Raises ValueError if it leads nowhere."""
    field: FieldDescriptor | None = None
    for name in path:
        field = descriptor.fields_by_name.get(name) if descriptor else None
        if field is None:
            raise ValueError(f"{'.'.join(path)} is no field of the request; correct the http rule")
        descriptor = None if field.is_repeated else field.message_type
    assert field is not None
    return field


def holder(message: Any, path: Sequence[str]) -> Any:
    """Return the message that holds the last field of the path; what lies between is set."""
    for name in path[:-1]:
        message = getattr(message, name)
        message.SetInParent()
    return message


def is_map(field: FieldDescriptor) -> bool:
    """Tell whether the field is a map."""
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)
