"""The field mask of a PATCH, made from what its body names."""

from collections.abc import Iterator
from typing import Any, Final

from google.protobuf.descriptor import Descriptor

from postroom.surfaces.gateway.failure import invalid
from postroom.surfaces.gateway.fields import field_named

MASK: Final = "google.protobuf.FieldMask"
_FREE_FORM: Final = ("google.protobuf.Struct", "google.protobuf.Value")


def mask_field(request: Descriptor) -> str:
    """Return the name of the only field mask of a request, '' if there is none or several."""
    names = [
        field.name
        for field in request.fields
        if field.message_type and field.message_type.full_name == MASK and not field.is_repeated
    ]
    return names[0] if len(names) == 1 else ""


def mask_of(value: Any, descriptor: Descriptor) -> list[str]:
    """Return the deepest paths that a body names, in order. Raises Failure for unknown keys."""
    return sorted(_paths(value, descriptor, ""))


def _paths(value: Any, descriptor: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict) or not value:
        if path:
            yield path
        return
    if descriptor is None:
        raise invalid("JSON structure did not match request type")
    for key, item in value.items():
        field = field_named(descriptor, key)
        if field is None:
            raise invalid(f'could not find field "{key}" in "{descriptor.full_name}"')
        here = f"{path}.{field.name}" if path else field.name
        held = field.message_type
        if field.is_repeated or (held and _is_typed_any(held, item)):
            yield here
        elif held and held.full_name in _FREE_FORM:
            yield from _free_paths(item, here)
        else:
            yield from _paths(item, held, here)


def _is_typed_any(held: Descriptor, value: Any) -> bool:
    return bool(held.full_name == "google.protobuf.Any") and isinstance(value, dict)


def _free_paths(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict) or not value:
        yield path
        return
    for key, item in value.items():
        yield from _free_paths(item, f"{path}.{key}")
