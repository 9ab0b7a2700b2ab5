"""How the well-known types are read, by full name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.protobuf.message_factory import GetMessageClass

from postroom.rpc.protojson.digits import floating
from postroom.rpc.protojson.document import Number
from postroom.rpc.protojson.known_out import PACKAGE, WRAPPERS
from postroom.rpc.protojson.masks import read_mask
from postroom.rpc.protojson.refusal import JsonInvalid, Wrong, shown
from postroom.rpc.protojson.scalars import converter, text
from postroom.rpc.protojson.times import read_duration, read_timestamp
from postroom.rpc.protojson.walk import Walk, elements, items, once, twice

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.descriptor import Descriptor

    from postroom.rpc.protojson.reader import Fill, Reader

# How many messages lie in each other for one level of a Struct and of a list.
_STRUCT_LEVELS = 3
_LIST_LEVELS = 2


def _from_text(read: Callable[[str], Any], put: Callable[[Any, Any], None]) -> Callable[..., Fill]:
    def fill(message: Any, value: Any, path: str, _: Walk) -> None:
        try:
            put(message, read(text(value)))
        except Wrong as wrong:
            raise JsonInvalid(path, str(wrong)) from None

    return lambda _reader: fill


def _put_time(message: Any, found: tuple[int, int]) -> None:
    message.seconds, message.nanos = found


def _put_mask(message: Any, paths: list[str]) -> None:
    message.paths.extend(paths)


def _wrapper(_: Reader) -> Fill:
    def fill(message: Any, value: Any, path: str, _walk: Walk) -> None:
        try:
            message.value = converter(message.DESCRIPTOR.fields_by_name["value"])(value)
        except ValueError as wrong:
            raise JsonInvalid(path, str(wrong)) from None

    return fill


def _empty(_: Reader) -> Fill:
    def fill(_message: Any, value: Any, path: str, walk: Walk) -> None:
        for _key, _item, at in items(value, path):
            walk.drop(at, "is not a field of google.protobuf.Empty; leave it out")

    return fill


def _struct(reader: Reader) -> Fill:
    def fill(message: Any, value: Any, path: str, walk: Walk) -> None:
        walk.enter(path, _STRUCT_LEVELS)
        for key, item, at in items(value, path):
            once(key, key, twice(value), at, set())
            _fill_value(reader, message.fields[key], item, at, walk)
        walk.leave(_STRUCT_LEVELS)

    return fill


def _list(reader: Reader) -> Fill:
    def fill(message: Any, value: Any, path: str, walk: Walk) -> None:
        walk.enter(path, _LIST_LEVELS)
        for item, at in elements(value, path):
            _fill_value(reader, message.values.add(), item, at, walk)
        walk.leave(_LIST_LEVELS)

    return fill


def _value(reader: Reader) -> Fill:
    return lambda message, value, path, walk: _fill_value(reader, message, value, path, walk)


def _fill_value(reader: Reader, message: Any, value: Any, path: str, walk: Walk) -> None:
    if value is None:
        message.null_value = 0
    elif isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, (Number, int, float)):
        message.number_value = _number(value, path)
    elif isinstance(value, str):
        message.string_value = value
    else:
        held = message.struct_value if isinstance(value, dict) else message.list_value
        held.SetInParent()
        reader.of(held.DESCRIPTOR)(held, value, path, walk)


def _number(value: Any, path: str) -> float:
    try:
        return floating(value, single=False)
    except Wrong as wrong:
        raise JsonInvalid(path, str(wrong)) from None


def _any(reader: Reader) -> Fill:
    def fill(message: Any, value: Any, path: str, walk: Walk) -> None:
        members = {key: (item, at) for key, item, at in items(value, path)}
        if "@type" not in members:
            for _, at in members.values():
                walk.drop(at, 'is in an Any without "@type"; give the type')
            return
        if "@type" in twice(value):
            raise JsonInvalid(f"{path}.@type", "is given twice; give it once")
        descriptor = _resolved(reader, members["@type"][0], path)
        held = GetMessageClass(descriptor)()
        walk.enter(path)
        _fill_held(reader, held, value, path, walk)
        walk.leave()
        message.type_url = members["@type"][0]
        message.value = held.SerializeToString(deterministic=True)

    return fill


def _resolved(reader: Reader, url: Any, path: str) -> Descriptor:
    try:
        return reader.pool.FindMessageTypeByName(text(url).rpartition("/")[2])
    except (KeyError, Wrong):
        raise JsonInvalid(f"{path}.@type", f"is not a known type: {shown(url)}") from None


def _fill_held(reader: Reader, held: Any, value: Any, path: str, walk: Walk) -> None:
    fill = reader.of(held.DESCRIPTOR)
    rest = type(value)((key, item) for key, item in value.items() if key != "@type")
    if hasattr(value, "twice"):
        rest.twice = value.twice
    if held.DESCRIPTOR.full_name not in FILLS:
        fill(held, rest, path, walk)
        return
    if "value" not in rest or "value" in twice(rest):
        raise JsonInvalid(f"{path}.value", "must be there once, with what the type's JSON is")
    for key in rest.keys() - {"value"}:
        walk.drop(f"{path}.{key}", "is not a field; leave it out")
    fill(held, rest["value"], f"{path}.value", walk)


FILLS: dict[str, Callable[[Reader], Fill]] = {
    f"{PACKAGE}Any": _any,
    f"{PACKAGE}Timestamp": _from_text(read_timestamp, _put_time),
    f"{PACKAGE}Duration": _from_text(read_duration, _put_time),
    f"{PACKAGE}FieldMask": _from_text(read_mask, _put_mask),
    f"{PACKAGE}Empty": _empty,
    f"{PACKAGE}Struct": _struct,
    f"{PACKAGE}ListValue": _list,
    f"{PACKAGE}Value": _value,
    **dict.fromkeys(WRAPPERS, _wrapper),
}
