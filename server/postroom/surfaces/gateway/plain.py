"""Fields that are a whole body by themselves: lists, maps and scalars.

Where a rule's body or response_body names a field that is no message, the gateway
uses Go's plain JSON instead of protobuf's, and so does this.
"""

import json
import re
from collections.abc import Callable
from math import isfinite
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from postroom.rpc.protojson import JsonInvalid, Printer, Reader, Unprintable
from postroom.rpc.protojson.document import Number
from postroom.rpc.protojson.refusal import Wrong, shown
from postroom.rpc.protojson.scalars import converter, integer_range, is_text, text
from postroom.surfaces.gateway import formats
from postroom.surfaces.gateway.fields import is_map
from postroom.surfaces.gateway.values import scalar

_INTEGER = re.compile(r"-?\d+", re.ASCII)
_FLOATS: Final = (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE)
_ENUM_RANGE: Final = (-(2**31), 2**31 - 1)


def escaped(json_text: str) -> str:
    """Escape in JSON what Go's plain JSON escapes, for pages and line readers."""
    for character in "<>&\u2028\u2029":
        json_text = json_text.replace(character, f"\\u{ord(character):04x}")
    return json_text


def printed(message: Message, field: FieldDescriptor, printer: Printer) -> str:
    """Return one field as a whole body. Raises Unprintable."""
    value = getattr(message, field.name)
    if is_map(field):
        return escaped(_printed_map(value, field, printer))
    one = _printed_one(field, printer)
    if field.is_repeated:
        return escaped(f"[{','.join(map(one, value))}]")
    if field.message_type:
        return printer.text(value)
    if field.containing_oneof and not message.HasField(field.name):
        return "null"
    if value == b"":
        return "[]"
    return escaped(one(value))


def fill(message: Message, field: FieldDescriptor, value: Any, reader: Reader) -> None:
    """Set one field from a whole body. Raises JsonInvalid."""
    if value is None and (field.is_repeated or not field.enum_type):
        return
    target = getattr(message, field.name)
    if is_map(field):
        _fill_map(target, field, value, reader)
    elif not field.is_repeated:
        setattr(message, field.name, _one(field, value, ""))
    elif not isinstance(value, list):
        raise JsonInvalid("", f"must be a list, not {shown(value)}")
    elif field.message_type:
        for item in value:
            reader.read(item, target.add())
    else:
        target.extend(_one(field, item, f"[{at}]") for at, item in enumerate(value))


def touch(message: Message, field: FieldDescriptor) -> None:
    """Set what can be told from unset, for a body that is empty."""
    if field.has_presence:
        setattr(message, field.name, _zero(field))


def _printed_one(field: FieldDescriptor, printer: Printer) -> Callable[[Any], str]:
    if integer_range(field):
        return str
    if field.type in _FLOATS:
        return lambda value: _finite(value, printer.single(field))
    return printer.single(field)


def _finite(value: float, printed: Callable[[Any], str]) -> str:
    if not isfinite(value):
        raise Unprintable("NaN and the infinities have no plain JSON form")
    return printed(value)


def _printed_map(value: Any, field: FieldDescriptor, printer: Printer) -> str:
    entry: Any = field.message_type
    one = _printed_one(entry.fields_by_name["value"], printer)
    told = {str(key).lower() if isinstance(key, bool) else str(key): key for key in value}
    members = [
        f"{json.dumps(key, ensure_ascii=False)}:{one(value[told[key]])}" for key in sorted(told)
    ]
    return f"{{{','.join(members)}}}"


def _fill_map(target: Any, field: FieldDescriptor, value: Any, reader: Reader) -> None:
    if not isinstance(value, dict):
        raise JsonInvalid("", f"must be an object, not {shown(value)}")
    entry: Any = field.message_type
    held = entry.fields_by_name["value"]
    for name, item in value.items():
        try:
            key = scalar(entry.fields_by_name["key"], name, formats.with_base)
        except ValueError as error:
            raise JsonInvalid(name, str(error)) from None
        if held.message_type:
            found = GetMessageClass(held.message_type)()
            reader.read(item, found)
            target[key].CopyFrom(found)
        else:
            target[key] = _one(held, item, name)


def _zero(field: FieldDescriptor) -> Any:
    return {FieldDescriptor.TYPE_STRING: "", FieldDescriptor.TYPE_BYTES: b""}.get(field.type, 0)


def _one(field: FieldDescriptor, value: Any, path: str) -> Any:
    if value is None and not field.enum_type:
        return _zero(field)
    limits = integer_range(field)
    try:
        if field.enum_type:
            return _enum(value)
        if limits:
            return _integer(value, *limits)
        if field.type == FieldDescriptor.TYPE_BYTES:
            return _bytes(value)
        if field.type in _FLOATS:
            return converter(field)(_unquoted(value))
        return converter(field)(value)
    except ValueError as error:
        raise JsonInvalid(path, str(error)) from None


def _enum(value: Any) -> int:
    """Read the number of an enum; Go drops a fraction."""
    found = float(value) if isinstance(value, Number) else None
    if found is None or not _ENUM_RANGE[0] <= found <= _ENUM_RANGE[1]:
        raise Wrong(f"must be the number of an enum, not {shown(value)}")
    return int(found)


def _bytes(value: Any) -> bytes:
    """Read standard base64, or a list of numbers, which Go takes for bytes too."""
    if isinstance(value, list):
        return bytes(_integer(item, 0, 255) for item in value)
    if set("-_") & set(text(value)):
        raise Wrong("must be standard base64, with + and /")
    return formats.binary(text(value))


def _unquoted(value: Any) -> Any:
    if is_text(value):
        raise Wrong(f"must be a number without quotes, not {shown(value)}")
    return value


def _integer(value: Any, low: int, high: int) -> int:
    if not isinstance(value, Number) or not _INTEGER.fullmatch(value):
        raise Wrong(f"must be a whole number in digits, not {shown(value)}")
    return formats.decimal(value, low, high)
