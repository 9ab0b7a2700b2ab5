"""Text from a path or a query into one field, by the field's type."""

from collections.abc import Callable
from typing import Any, Final

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from postroom.rpc.protojson import BLANK, JsonInvalid, Reader, parse
from postroom.rpc.protojson.digits import in_range
from postroom.rpc.protojson.scalars import integer_range
from postroom.rpc.protojson.times import read_duration, read_timestamp
from postroom.surfaces.gateway import formats

Whole = Callable[[str, int, int], int]
Length = Callable[[str], tuple[int, int]]

PACKAGE: Final = "google.protobuf."
WRAPPERS: Final = frozenset(
    f"{PACKAGE}{kind}Value"
    for kind in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
)
FROM_TEXT: Final = WRAPPERS | {
    f"{PACKAGE}{kind}" for kind in ("Timestamp", "Duration", "FieldMask", "Struct", "Value")
}


def scalar(field: FieldDescriptor, text: str, whole: Whole) -> Any:
    """Read a scalar or an enum. Raises ValueError that says what is wrong."""
    if field.enum_type:
        return _enum(field.enum_type, text, whole)
    limits = integer_range(field)
    if limits:
        return whole(text, *limits)
    return _READS.get(field.type, unicode)(text)


def unicode(text: str) -> str:
    """Return the text. Raises ValueError if its bytes were not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it is not UTF-8; percent-encode the bytes of UTF-8 text") from None
    return text


def fill_from_query(message: Any, text: str, reader: Reader) -> None:
    """Fill a well-known message from a query value. Raises ValueError."""
    _fill(message, text, reader, formats.decimal, formats.duration)


def fill_from_path(message: Any, text: str, reader: Reader) -> None:
    """Fill a well-known message from a path variable. Raises ValueError.

    Times may be in quotes, as JSON has them.
    """
    bare = text if message.DESCRIPTOR.full_name in WRAPPERS else text.strip('"')
    _fill(message, bare, reader, formats.with_base, read_duration)


def _fill(message: Any, text: str, reader: Reader, whole: Whole, duration: Length) -> None:
    name = message.DESCRIPTOR.full_name
    if name in WRAPPERS:
        message.value = scalar(message.DESCRIPTOR.fields_by_name["value"], text, whole)
    elif name == f"{PACKAGE}Timestamp":
        message.seconds, message.nanos = read_timestamp(text)
    elif name == f"{PACKAGE}Duration":
        message.seconds, message.nanos = duration(text)
    elif name == f"{PACKAGE}FieldMask":
        message.paths[:] = unicode(text).split(",")
    else:
        _fill_from_json(message, text, reader)


def _fill_from_json(message: Any, text: str, reader: Reader) -> None:
    try:
        reader.read(_json(text), message, strict=True)
    except JsonInvalid as error:
        raise ValueError(error.message) from None


def _json(text: str) -> Any:
    value = parse(unicode(text), whole=True)
    if value is BLANK:
        raise ValueError("it is empty; write JSON")
    return value


def _enum(enum: EnumDescriptor, text: str, whole: Whole) -> int:
    if text in enum.values_by_name:
        return int(enum.values_by_name[text].number)
    try:
        number = whole(text, -(2**31), 2**31 - 1)
    except ValueError:
        number = None
    if number is None or number not in enum.values_by_number:
        raise ValueError(f'"{text}" is not a valid value')
    return number


def _single(text: str) -> float:
    return in_range(formats.floating(text), text, single=True)


_READS: Final[dict[int, Callable[[str], Any]]] = {
    FieldDescriptor.TYPE_BOOL: formats.boolean,
    FieldDescriptor.TYPE_BYTES: formats.binary,
    FieldDescriptor.TYPE_DOUBLE: formats.floating,
    FieldDescriptor.TYPE_FLOAT: _single,
}
