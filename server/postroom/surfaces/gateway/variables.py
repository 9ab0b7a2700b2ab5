"""What the path gives, into the request."""

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from postroom.rpc.protojson import Reader
from postroom.surfaces.gateway import formats
from postroom.surfaces.gateway.failure import Failure, invalid
from postroom.surfaces.gateway.fields import field_at, is_map
from postroom.surfaces.gateway.query import set_from_text
from postroom.surfaces.gateway.values import FROM_TEXT, PACKAGE, WRAPPERS, fill_from_path, scalar

_FROM_PATH: Final = WRAPPERS | {f"{PACKAGE}Timestamp", f"{PACKAGE}Duration"}


def check_variable(descriptor: Any, path: str) -> None:
    """Raise ValueError if a path variable cannot fill this field."""
    parts = path.split(".")
    field = field_at(descriptor, parts)
    allowed = FROM_TEXT if len(parts) > 1 else _FROM_PATH
    held = field.message_type
    if is_map(field) or (held and (field.is_repeated or held.full_name not in allowed)):
        raise ValueError(f"{path} is a message, which a path variable cannot fill; bind a scalar")


def set_variables(message: Message, variables: Mapping[str, str], reader: Reader) -> None:
    """Fill the fields that the path names, over what is there. Raises Failure."""
    for path, text in variables.items():
        try:
            _set(message, path.split("."), text, reader)
        except Failure as failure:
            raise _mismatch(path, failure.status.message) from None
        except ValueError as error:
            raise _mismatch(path, str(error)) from None


def _mismatch(path: str, told: str) -> Failure:
    return invalid(f"type mismatch, parameter: {path}, error: {told}")


def _set(message: Any, path: list[str], text: str, reader: Reader) -> None:
    if len(path) > 1:
        set_from_text(_cleared(message, path), path, [text], reader)
        return
    field: FieldDescriptor = message.DESCRIPTOR.fields_by_name[path[0]]
    _refuse_sibling(message, field)
    if field.is_repeated:
        values = [scalar(field, one, formats.with_base) for one in text.split(",")]
        getattr(message, field.name)[:] = values
    elif field.message_type:
        held = getattr(message, field.name)
        held.Clear()
        held.SetInParent()
        fill_from_path(held, text, reader)
    else:
        setattr(message, field.name, scalar(field, text, formats.with_base))


def _cleared(message: Any, path: list[str]) -> Any:
    """Forget what the body said of the field, so that the path's word replaces it."""
    held = message
    for name in path[:-1]:
        if not held.HasField(name):
            return message
        held = getattr(held, name)
    held.ClearField(path[-1])
    return message


def _refuse_sibling(message: Any, field: FieldDescriptor) -> None:
    chosen = message.WhichOneof(field.containing_oneof.name) if field.containing_oneof else None
    if chosen and chosen != field.name:
        raise ValueError(f"the body sets {chosen}, which excludes {field.name}; leave it out")
