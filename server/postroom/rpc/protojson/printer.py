"""Messages as protobuf JSON, with unset fields printed and lowerCamel names.

Each message type is turned once into a function that prints it; the work per
message is then a few lookups per field.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from operator import attrgetter
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.descriptor_pool import Default, DescriptorPool
from google.protobuf.message import Message

from postroom.rpc.protojson import known_out
from postroom.rpc.protojson.digits import printed_double, printed_float

Print = Callable[[Any], str]

NULL_VALUE = "google.protobuf.NullValue"


class Printer:
    """Prints messages. Any is resolved in the pool; safe to share between threads.

    With `unset` off, fields that hold nothing are left out.
    """

    def __init__(self, pool: DescriptorPool | None = None, *, unset: bool = True) -> None:
        self.pool = pool or Default()
        self._unset = unset
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
            message = self._message if self._unset else self._set_fields
            found = special(self) if special else message(descriptor)
            self._prints[descriptor] = found
        return found

    def value(self, field: FieldDescriptor) -> Print:
        """Return the function that prints a field's value, list or map."""
        if field.message_type and field.message_type.GetOptions().map_entry:
            return self._map(field)
        one = self.single(field)
        return _list(one) if field.is_repeated else one

    def single(self, field: FieldDescriptor) -> Print:
        """Return the function that prints one value of a field."""
        if field.message_type:
            # Not compiled here, because types may hold themselves.
            return self.text
        if field.enum_type:
            return _enum(field.enum_type)
        return _SCALARS[field.type]

    def _message(self, descriptor: Descriptor) -> Print:
        fields = list(descriptor.fields)
        values = _values(fields)
        prints = [_nothing if _is_message(field) else self.value(field) for field in fields]
        slots = [_Slot(at, field) for at, field in enumerate(fields) if field.has_presence]
        scalars = [(s.at, s.name, s.key, s.absent) for s in slots if not s.is_message]
        messages = [
            (s.at, s.name, s.key, s.absent, self.value(fields[s.at])) for s in slots if s.is_message
        ]
        # Every member starts with its comma; the first comma is cut off in the end.
        template = "".join("%s" if f.has_presence else f"{_key(f)}%s" for f in fields)

        def printed(message: Message) -> str:
            given = values(message)
            texts = [one(value) for one, value in zip(prints, given, strict=True)]
            has = message.HasField
            for at, name, key, absent in scalars:
                texts[at] = key + texts[at] if has(name) else absent
            for at, name, key, absent, one in messages:
                texts[at] = key + one(given[at]) if has(name) else absent
            return f"{{{(template % tuple(texts))[1:]}}}"

        return printed

    def _set_fields(self, descriptor: Descriptor) -> Print:
        prints = {
            f.number: (at, _key(f, "%"), self.value(f)) for at, f in enumerate(descriptor.fields)
        }

        def printed(message: Message) -> str:
            given = ((prints[f.number], v) for f, v in message.ListFields() if not f.is_extension)
            members = sorted((at, key + one(value)) for (at, key, one), value in given)
            return f"{{{''.join(text for _, text in members)[1:]}}}"

        return printed

    def _map(self, field: FieldDescriptor) -> Print:
        entry: Any = field.message_type
        one = self.single(entry.fields_by_name["value"])
        is_boolean = entry.fields_by_name["key"].type == FieldDescriptor.TYPE_BOOL
        key = _boolean if is_boolean else str

        def printed(entries: Mapping[Any, Any]) -> str:
            members = [f"{encode_basestring(key(k))}:{one(entries[k])}" for k in sorted(entries)]
            return f"{{{','.join(members)}}}"

        return printed


class _Slot:
    """Where a field with presence is printed, and what stands there while it is unset."""

    def __init__(self, at: int, field: FieldDescriptor) -> None:
        self.at = at
        self.name = field.name
        self.is_message = field.message_type is not None
        self.key = _key(field, escape="%")
        self.absent = "" if field.containing_oneof else f"{self.key}null"


def _key(field: FieldDescriptor, escape: str = "%%") -> str:
    return f",{json.dumps(field.json_name)}:".replace("%", escape)


def _is_message(field: FieldDescriptor) -> bool:
    return field.message_type is not None and not field.is_repeated


def _values(fields: list[FieldDescriptor]) -> Callable[[Message], tuple[Any, ...]]:
    names = [field.name for field in fields]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda message: tuple(getattr(message, name) for name in names)


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


def _nothing(_: Any) -> str:
    return ""


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
