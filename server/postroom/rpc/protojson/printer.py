"""Messages as protobuf JSON, with unset fields printed and lowerCamel names.

Each message type is turned once into a function that prints it.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.descriptor_pool import Default, DescriptorPool
from google.protobuf.message import Message

from postroom.rpc.protojson import known_out
from postroom.rpc.protojson.compiled import Print, key, printing
from postroom.rpc.protojson.digits import printed_double, printed_float

NULL_VALUE = "google.protobuf.NullValue"


class Printer:
    """Prints messages. Any is resolved in the pool; safe to share between threads.

    With `unset` off, fields that hold nothing are left out. With `proto_names` names
    are those of the proto.
    """

    def __init__(
        self,
        pool: DescriptorPool | None = None,
        *,
        unset: bool = True,
        proto_names: bool = False,
    ) -> None:
        self.pool = pool or Default()
        self._unset = unset
        self._name = _proto_name if proto_names else _json_name
        self._prints: dict[Descriptor, Print] = {}

    def text(self, message: Message) -> str:
        """Return the JSON text. Raises Unprintable for what has no JSON form."""
        descriptor: Any = message.DESCRIPTOR
        return self.of(descriptor)(message)

    def plain(self, message: Message) -> Any:
        """Return the same as dicts, lists, strings, numbers, booleans and None."""
        return json.loads(self.text(message))

    def of(self, descriptor: Descriptor) -> Print:
        """Return the function that prints this type."""
        found = self._prints.get(descriptor)
        if found is None:
            special = known_out.PRINTS.get(descriptor.full_name)
            message = self._every_field if self._unset else self._set_fields
            found = special(self) if special else message(descriptor)
            self._prints[descriptor] = found
        return found

    def around(self, descriptor: Descriptor, marks: Mapping[FieldDescriptor, str]) -> Print:
        """Return the function that prints this type with a mark for the value of some fields."""

        def value(field: FieldDescriptor) -> Print:
            mark = marks.get(field)
            return self.value(field) if mark is None else lambda _: mark

        return printing(descriptor, value, self._name)

    def value(self, field: FieldDescriptor) -> Print:
        """Return the function that prints a field's value, list or map."""
        if field.message_type and field.message_type.GetOptions().map_entry:
            return self._map(field)
        if field.is_repeated:
            return self._messages(field) if field.message_type else _list(self.single(field))
        return self.single(field)

    def single(self, field: FieldDescriptor) -> Print:
        """Return the function that prints one value of a field."""
        if field.message_type:
            # Not compiled here, because types may hold themselves.
            return self.text
        if field.enum_type:
            return _enum(field.enum_type)
        return _SCALARS[field.type]

    def _every_field(self, descriptor: Descriptor) -> Print:
        return printing(descriptor, self.value, self._name)

    def _set_fields(self, descriptor: Descriptor) -> Print:
        prints = {
            f.number: (at, key(self._name(f)), self.value(f))
            for at, f in enumerate(descriptor.fields)
        }

        def printed(message: Message) -> str:
            given = ((prints[f.number], v) for f, v in message.ListFields() if not f.is_extension)
            members = sorted((at, key + one(value)) for (at, key, one), value in given)
            return f"{{{''.join(text for _, text in members)[1:]}}}"

        return printed

    def _messages(self, field: FieldDescriptor) -> Print:
        descriptor: Any = field.message_type
        return lambda values: f"[{','.join(map(self.of(descriptor), values))}]" if values else "[]"

    def _map(self, field: FieldDescriptor) -> Print:
        entry: Any = field.message_type
        one = self.single(entry.fields_by_name["value"])
        is_boolean = entry.fields_by_name["key"].type == FieldDescriptor.TYPE_BOOL
        key = _boolean if is_boolean else str

        def printed(entries: Mapping[Any, Any]) -> str:
            members = [f"{encode_basestring(key(k))}:{one(entries[k])}" for k in sorted(entries)]
            return f"{{{','.join(members)}}}"

        return printed


def _json_name(field: FieldDescriptor) -> str:
    return str(field.json_name)


def _proto_name(field: FieldDescriptor) -> str:
    return str(field.name)


def _list(one: Print) -> Print:
    return lambda values: f"[{','.join(map(one, values))}]" if values else "[]"


class _Names(dict[int, str]):
    """Enum numbers as JSON; a number without a name stays a number."""

    def __missing__(self, number: int) -> str:
        return str(number)


def _enum(enum: EnumDescriptor) -> Print:
    if enum.full_name == NULL_VALUE:
        return lambda _: "null"
    names = _Names()
    for value in enum.values:
        # Of several names for one number, the first declared is printed.
        names.setdefault(value.number, f'"{value.name}"')
    return names.__getitem__


def _boolean(value: bool) -> str:
    return "true" if value else "false"


def _quoted(value: int) -> str:
    return f'"{value}"'


def _bytes(value: bytes) -> str:
    return f'"{b64encode(value).decode()}"'


_SCALARS: dict[int, Print] = {
    FieldDescriptor.TYPE_STRING: encode_basestring,
    FieldDescriptor.TYPE_BYTES: _bytes,
    FieldDescriptor.TYPE_BOOL: _boolean,
    FieldDescriptor.TYPE_DOUBLE: printed_double,
    FieldDescriptor.TYPE_FLOAT: printed_float,
    **dict.fromkeys(
        (
            FieldDescriptor.TYPE_INT32,
            FieldDescriptor.TYPE_SINT32,
            FieldDescriptor.TYPE_UINT32,
            FieldDescriptor.TYPE_FIXED32,
            FieldDescriptor.TYPE_SFIXED32,
        ),
        str,
    ),
    **dict.fromkeys(
        (
            FieldDescriptor.TYPE_INT64,
            FieldDescriptor.TYPE_SINT64,
            FieldDescriptor.TYPE_UINT64,
            FieldDescriptor.TYPE_FIXED64,
            FieldDescriptor.TYPE_SFIXED64,
        ),
        _quoted,
    ),
}
