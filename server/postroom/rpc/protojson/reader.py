"""Protobuf JSON into messages, accepting what Go's reader accepts and no more.

As in the printer, each message type is turned into a function once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pool import Default, DescriptorPool
from google.protobuf.message import Message

from postroom.rpc.protojson import known_in
from postroom.rpc.protojson.refusal import JsonInvalid, Wrong, shown
from postroom.rpc.protojson.scalars import NULL_VALUE, UnknownName, converter, map_key
from postroom.rpc.protojson.walk import Walk, elements, items, members, once, twice

VALUE: Final = "google.protobuf.Value"


Fill = Callable[[Message, Any, str, Walk], None]


@dataclass(frozen=True, slots=True)
class _Known:
    number: int
    takes_null: bool
    oneof: str
    fill: Fill


class Reader:
    """Reads messages. Any is resolved in the pool; safe to share between threads."""

    def __init__(self, pool: DescriptorPool | None = None) -> None:
        self.pool = pool or Default()
        self._fills: dict[Descriptor, Fill] = {}

    def read(self, value: Any, message: Message, *, strict: bool = False) -> list[str]:
        """Fill a message from a parsed JSON value; return the paths that were dropped.

        Unknown fields and enum names are dropped, or refused when strict. Raises
        JsonInvalid, which names the path of the field that is wrong.
        """
        walk = Walk(strict)
        descriptor: Any = message.DESCRIPTOR
        self.of(descriptor)(message, value, "", walk)
        return walk.ignored

    def of(self, descriptor: Descriptor) -> Fill:
        """Return the function that fills this type."""
        found = self._fills.get(descriptor)
        if found is None:
            special = known_in.FILLS.get(descriptor.full_name)
            found = special(self) if special else self._message(descriptor)
            self._fills[descriptor] = found
        return found

    def value(self, field: FieldDescriptor) -> Fill:
        """Return the function that sets a field from its JSON value."""
        if field.message_type and field.message_type.GetOptions().map_entry:
            return self._map(field)
        if field.is_repeated:
            return self._list(field)
        return self._submessage(field) if field.message_type else _scalar(field)

    def _message(self, descriptor: Descriptor) -> Fill:
        fields = self._fields(descriptor)
        name = descriptor.full_name

        def fill(message: Message, value: Any, path: str, walk: Walk) -> None:
            seen: set[int | str] = set()
            walk.enter(path)
            doubled = twice(value)
            for key, item in members(value, path).items():
                at = f"{path}.{key}" if path else key
                known = fields.get(key)
                if known is None:
                    walk.drop(at, f"is not a field of {name}; check the spelling")
                    continue
                once(known.number, key, doubled, at, seen)
                if item is None and not known.takes_null:
                    continue
                if known.oneof and known.oneof in seen:
                    raise JsonInvalid(at, f"is not the only member of {known.oneof}; give one")
                seen.add(known.oneof)
                known.fill(message, item, at, walk)
            walk.leave()

        return fill

    def _fields(self, descriptor: Descriptor) -> dict[str, _Known]:
        known = [
            _Known(
                one.number,
                _takes_null(one),
                one.containing_oneof.name if one.containing_oneof else "",
                self.value(one),
            )
            for one in descriptor.fields
        ]
        fields = descriptor.fields
        # A JSON name wins over another field's proto name.
        return {one.name: k for one, k in zip(fields, known, strict=True)} | {
            one.json_name: k for one, k in zip(fields, known, strict=True)
        }

    def _submessage(self, field: FieldDescriptor) -> Fill:
        descriptor: Any = field.message_type
        name = field.name

        def fill(message: Message, value: Any, path: str, walk: Walk) -> None:
            held: Message = getattr(message, name)
            held.SetInParent()
            self.of(descriptor)(held, value, path, walk)

        return fill

    def _list(self, field: FieldDescriptor) -> Fill:
        if not field.message_type:
            return _scalars(field)
        name = field.name
        descriptor: Any = field.message_type

        def fill(message: Message, value: Any, path: str, walk: Walk) -> None:
            target = getattr(message, name)
            one = self.of(descriptor)
            for item, here in elements(value, path):
                one(target.add(), item, here, walk)

        return fill

    def _map(self, field: FieldDescriptor) -> Fill:
        name = field.name
        entry: Any = field.message_type
        key_of = map_key(entry.fields_by_name["key"])
        held = entry.fields_by_name["value"]
        descriptor = held.message_type
        convert = None if descriptor else converter(held)

        def fill(message: Message, value: Any, path: str, walk: Walk) -> None:
            target = getattr(message, name)
            seen: set[Any] = set()
            walk.enter(path)
            for key, item, _ in items(value, path):
                here = f"{path}[{key}]"
                with_key = _read_key(key_of, key, here)
                once(with_key, key, twice(value), here, seen)
                if convert is None:
                    self.of(descriptor)(target[with_key], item, here, walk)
                else:
                    for converted in _converted(convert, item, here, walk):
                        target[with_key] = converted
            walk.leave()

        return fill


def _takes_null(field: FieldDescriptor) -> bool:
    if field.message_type:
        return bool(field.message_type.full_name == VALUE)
    return field.enum_type is not None and field.enum_type.full_name == NULL_VALUE


def _scalar(field: FieldDescriptor) -> Fill:
    name = field.name
    convert = converter(field)

    def fill(message: Message, value: Any, path: str, walk: Walk) -> None:
        try:
            converted = convert(value)
        except Wrong as wrong:
            raise JsonInvalid(path, str(wrong)) from None
        except UnknownName:
            _drop_name(value, path, walk)
            return
        try:
            setattr(message, name, converted)
        except (ValueError, TypeError) as error:
            raise _unfit(converted, path, error) from None

    return fill


def _scalars(field: FieldDescriptor) -> Fill:
    name = field.name
    convert = converter(field)

    def fill(message: Message, value: Any, path: str, walk: Walk) -> None:
        target = getattr(message, name)
        try:
            if isinstance(value, list):
                target.extend(map(convert, value))
                return
        except (ValueError, TypeError, UnknownName):
            # Something does not fit; once more, slowly, to name its place.
            message.ClearField(name)
            target = getattr(message, name)
        for item, here in elements(value, path):
            for converted in _converted(convert, item, here, walk):
                try:
                    target.append(converted)
                except (ValueError, TypeError) as error:
                    raise _unfit(converted, here, error) from None

    return fill


def _converted(convert: Callable[[Any], Any], value: Any, path: str, walk: Walk) -> Iterator[Any]:
    try:
        yield convert(value)
    except Wrong as wrong:
        raise JsonInvalid(path, str(wrong)) from None
    except UnknownName:
        _drop_name(value, path, walk)


def _drop_name(value: Any, path: str, walk: Walk) -> None:
    walk.drop(path, f"has no value called {shown(value)}; check the spelling")


def _read_key(key_of: Callable[[str], Any], key: str, path: str) -> Any:
    try:
        return key_of(key)
    except Wrong as wrong:
        raise JsonInvalid(path, str(wrong)) from None


def _unfit(value: Any, path: str, error: Exception) -> JsonInvalid:
    # Lone surrogates from a caller's own parser, and numbers a closed enum lacks.
    return JsonInvalid(path, f"cannot hold {value!a:.40}: {error}")
