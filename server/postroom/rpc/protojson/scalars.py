"""One JSON value into one scalar or enum value, by the field's type."""

import re
from base64 import b64decode, urlsafe_b64decode
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from postroom.rpc.protojson.digits import floating, integer
from postroom.rpc.protojson.document import Number
from postroom.rpc.protojson.refusal import Wrong, shown

Convert = Callable[[Any], Any]

NULL_VALUE: Final = "google.protobuf.NullValue"

_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})")
_RANGES: Final = {
    **dict.fromkeys(
        (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_SINT32, FieldDescriptor.TYPE_SFIXED32),
        (-(2**31), 2**31 - 1),
    ),
    **dict.fromkeys(
        (FieldDescriptor.TYPE_INT64, FieldDescriptor.TYPE_SINT64, FieldDescriptor.TYPE_SFIXED64),
        (-(2**63), 2**63 - 1),
    ),
    **dict.fromkeys((FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_FIXED32), (0, 2**32 - 1)),
    **dict.fromkeys((FieldDescriptor.TYPE_UINT64, FieldDescriptor.TYPE_FIXED64), (0, 2**64 - 1)),
}


class UnknownName(Exception):
    """An enum has no such name; the value is dropped, or refused when strict."""


def integer_range(field: FieldDescriptor) -> tuple[int, int] | None:
    """Return the least and the largest integer of a field, None if it holds no integers."""
    return _RANGES.get(field.type)


def converter(field: FieldDescriptor) -> Convert:
    """Return the function that reads one value; it raises Wrong or UnknownName."""
    if field.enum_type:
        return partial(_enum, field.enum_type)
    limits = integer_range(field)
    if limits:
        low, high = limits
        return lambda value: integer(value, low, high)
    return _CONVERTS[field.type]


def map_key(field: FieldDescriptor) -> Callable[[str], Any]:
    """Return the function that reads a map's key from its JSON text; it raises Wrong."""
    if field.type == FieldDescriptor.TYPE_STRING:
        return str
    if field.type == FieldDescriptor.TYPE_BOOL:
        return _boolean_key
    low, high = _RANGES[field.type]
    signed = "[+-]?" if low else ""
    grammar = re.compile(rf"{signed}0*(\d{{1,20}})", re.ASCII)

    def read(key: str) -> int:
        if not grammar.fullmatch(key) or not low <= int(key) <= high:
            raise Wrong(f"must have whole numbers from {low} to {high} as keys, not {shown(key)}")
        return int(key)

    return read


def is_text(value: Any) -> bool:
    """Tell whether a value was a string in the JSON."""
    return isinstance(value, str) and not isinstance(value, Number)


def text(value: Any) -> str:
    """Read a string. Raises Wrong."""
    if not is_text(value):
        raise Wrong(f"must be a string, not {shown(value)}")
    return str(value)


def binary(value: Any) -> bytes:
    """Read base64 in the standard or the URL-safe alphabet, padded or not. Raises Wrong."""
    found = _BASE64.fullmatch(text(value))
    padding = found[1] if found else ""
    letters = len(value) - len(padding)
    if not found or letters % 4 == 1 or (padding and len(value) % 4):
        raise Wrong(f"must be base64 without blanks or line ends, not {shown(value)}")
    decode = urlsafe_b64decode if "-" in value or "_" in value else b64decode
    return decode(value[:letters] + "=" * (-letters % 4))


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Wrong(f"must be true or false, not {shown(value)}")
    return value


def _boolean_key(key: str) -> bool:
    if key not in ("true", "false"):
        raise Wrong(f'must have "true" and "false" as keys, not {shown(key)}')
    return key == "true"


def _enum(enum: EnumDescriptor, value: Any) -> int:
    if value is None and enum.full_name == NULL_VALUE:
        return 0
    if is_text(value):
        found = enum.values_by_name.get(value)
        if found is None:
            raise UnknownName(value)
        return int(found.number)
    try:
        return integer(value, -(2**31), 2**31 - 1)
    except Wrong:
        raise Wrong(f"must be a name of {enum.full_name}, not {shown(value)}") from None


_CONVERTS: dict[int, Convert] = {
    FieldDescriptor.TYPE_STRING: text,
    FieldDescriptor.TYPE_BYTES: binary,
    FieldDescriptor.TYPE_BOOL: _boolean,
    FieldDescriptor.TYPE_DOUBLE: partial(floating, single=False),
    FieldDescriptor.TYPE_FLOAT: partial(floating, single=True),
}
