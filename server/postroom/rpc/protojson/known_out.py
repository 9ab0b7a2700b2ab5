"""How the well-known types are printed, by full name."""

from __future__ import annotations

from json.encoder import encode_basestring
from math import isfinite
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from postroom.rpc.protojson.digits import printed_double
from postroom.rpc.protojson.masks import print_mask
from postroom.rpc.protojson.refusal import Unprintable
from postroom.rpc.protojson.times import print_duration, print_timestamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from postroom.rpc.protojson.compiled import Print
    from postroom.rpc.protojson.printer import Printer

PACKAGE = "google.protobuf."
WRAPPERS = tuple(
    f"{PACKAGE}{kind}Value"
    for kind in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
)


def _any(printer: Printer) -> Print:
    def printed(message: Any) -> str:
        if not message.type_url:
            return "{}"
        name = message.type_url.rpartition("/")[2]
        try:
            descriptor = printer.pool.FindMessageTypeByName(name)
            held = GetMessageClass(descriptor).FromString(message.value)
        except KeyError:
            raise Unprintable(f"the type {name!r} of an Any is not known here") from None
        except DecodeError:
            raise Unprintable(f"the value of an Any is no {name!r}") from None
        text = printer.text(held)
        start = f'{{"@type":{encode_basestring(message.type_url)}'
        if name in PRINTS and name != f"{PACKAGE}Empty":
            return f'{start},"value":{text}}}'
        return f"{start}}}" if text == "{}" else f"{start},{text[1:]}"

    return printed


def _wrapper(printer: Printer) -> Print:
    prints: dict[Any, Print] = {}

    def printed(message: Any) -> str:
        field = message.DESCRIPTOR.fields_by_name["value"]
        if field not in prints:
            prints[field] = printer.single(field)
        return prints[field](message.value)

    return printed


def _struct(printer: Printer) -> Print:
    def printed(message: Any) -> str:
        value = _value(printer)
        fields = message.fields
        inner = ",".join(f"{encode_basestring(k)}:{value(fields[k])}" for k in sorted(fields))
        return f"{{{inner}}}"

    return printed


def _list(printer: Printer) -> Print:
    return lambda message: f"[{','.join(map(_value(printer), message.values))}]"


def _value(printer: Printer) -> Print:
    def printed(message: Any) -> str:
        match message.WhichOneof("kind"):
            case "null_value":
                return "null"
            case "number_value":
                if not isfinite(message.number_value):
                    raise Unprintable("a Value cannot hold NaN or an infinity")
                return printed_double(message.number_value)
            case "string_value":
                return encode_basestring(message.string_value)
            case "bool_value":
                return "true" if message.bool_value else "false"
            case "struct_value":
                return printer.text(message.struct_value)
            case "list_value":
                return printer.text(message.list_value)
        raise Unprintable("a Value is empty; null must be set as null_value")

    return printed


PRINTS: dict[str, Callable[[Printer], Print]] = {
    f"{PACKAGE}Any": _any,
    f"{PACKAGE}Timestamp": lambda _: lambda m: f'"{print_timestamp(m.seconds, m.nanos)}"',
    f"{PACKAGE}Duration": lambda _: lambda m: f'"{print_duration(m.seconds, m.nanos)}"',
    f"{PACKAGE}FieldMask": lambda _: lambda m: f'"{print_mask(list(m.paths))}"',
    f"{PACKAGE}Empty": lambda _: lambda _m: "{}",
    f"{PACKAGE}Struct": _struct,
    f"{PACKAGE}ListValue": _list,
    f"{PACKAGE}Value": _value,
    **dict.fromkeys(WRAPPERS, _wrapper),
}
