"""What a flag accepts for a field, by the field's type, and the JSON that it becomes."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isfinite, isnan
from typing import Any

import click
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from postroom.cli.file_message import is_file, read_file
from postroom.cli.request import checked, is_map, parse_value
from postroom.cli.source import Source

_Type = FieldDescriptor
_INT32, _UINT32 = (-(2**31), 2**31 - 1), (0, 2**32 - 1)
_INT64, _UINT64 = (-(2**63), 2**63 - 1), (0, 2**64 - 1)
_WHOLE: dict[int, tuple[int, int]] = {
    _Type.TYPE_INT32: _INT32,
    _Type.TYPE_SINT32: _INT32,
    _Type.TYPE_SFIXED32: _INT32,
    _Type.TYPE_UINT32: _UINT32,
    _Type.TYPE_FIXED32: _UINT32,
    _Type.TYPE_INT64: _INT64,
    _Type.TYPE_SINT64: _INT64,
    _Type.TYPE_SFIXED64: _INT64,
    _Type.TYPE_UINT64: _UINT64,
    _Type.TYPE_FIXED64: _UINT64,
}
# Well-known types whose JSON is a string.
_TEXT_TYPES = ("Timestamp", "Duration", "FieldMask")


def _as_given(given: Any, _: Source) -> Any:
    return given


@dataclass(frozen=True, slots=True)
class Kind:
    """How one value is taken: by click at once, then by us when the command runs."""

    type: Any
    metavar: str
    read: Callable[[Any, Source], Any] = _as_given
    choices: tuple[str, ...] = ()

    @property
    def is_switch(self) -> bool:
        """Whether it is given without a value."""
        return self.type is click.BOOL


def kind_of(field: FieldDescriptor, words: tuple[str, ...] = ()) -> Kind:
    """Choose how a field's value is given; `words` are all that it may be, if only some are."""
    if words:
        return _of_words(words)
    if field.enum_type is not None:
        return _of_enum(field.enum_type)
    if field.message_type is not None:
        return _of_message(field, field.message_type)
    return _of_scalar(field.type)


def short(enum: EnumDescriptor, value: str) -> str:
    """Such as sent for MAIL_DIRECTION_SENT of MailDirection."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", enum.name)
    return value.removeprefix(f"{words.upper()}_").replace("_", "-").lower()


def _of_enum(enum: EnumDescriptor) -> Kind:
    full = {short(enum, value.name): value.name for value in enum.values}
    # The zero value means that nothing was chosen, so it is not offered.
    offered = tuple(short(enum, value.name) for value in enum.values if value.number)

    def convert(value: str) -> str:
        found = value if value in full.values() else full.get(value.lower())
        if found is None:
            raise click.BadParameter(f"{value!r} is not one of {', '.join(offered)}")
        return found

    return Kind(convert, "|".join(offered), choices=offered)


def _of_words(words: tuple[str, ...]) -> Kind:
    def convert(value: str) -> str:
        if value not in words:
            raise click.BadParameter(f"{value!r} is not one of {', '.join(words)}")
        return value

    return Kind(convert, "|".join(words), choices=words)


def _of_scalar(type: int) -> Kind:
    if type in _WHOLE:
        least, most = _WHOLE[type]
        # JSON readers lose digits of longer numbers, so those go as strings.
        is_long = most >= 2**32
        return Kind(_whole(least, most), "INTEGER", _as_string if is_long else _as_given)
    if type == _Type.TYPE_BOOL:
        return Kind(click.BOOL, "")
    if type in {_Type.TYPE_FLOAT, _Type.TYPE_DOUBLE}:
        return Kind(click.FLOAT, "NUMBER", _real)
    if type == _Type.TYPE_BYTES:
        return Kind(click.STRING, "BASE64", _bytes)
    return Kind(click.STRING, "TEXT", _text)


def _of_message(field: FieldDescriptor, message: Descriptor) -> Kind:
    package, _, name = message.full_name.rpartition(".")
    if package == "google.protobuf" and name in _TEXT_TYPES:
        return Kind(click.STRING, "TEXT", _text)

    if is_file(message):
        return Kind(click.Path(), "FILE", partial(read_file, field))

    def read(given: str, source: Source) -> Any:
        value = parse_value(source.text(given))
        one = [value] if field.is_repeated and not is_map(field) else value
        found = checked(one, field, field.json_name)
        return found[0] if isinstance(one, list) else found

    return Kind(click.STRING, "JSON", read)


def _whole(least: int, most: int) -> Callable[[str], int]:
    def convert(value: str) -> int:
        try:
            number = int(value)
        except ValueError as error:
            raise click.BadParameter(f"{value!r} is not a whole number") from error
        if not least <= number <= most:
            raise click.BadParameter(f"{value} is not between {least} and {most}")
        return number

    return convert


def _as_string(given: Any, _: Source) -> str:
    return str(given)


def _text(given: str, source: Source) -> str:
    return source.text(given)


def _bytes(given: str, source: Source) -> str:
    return source.base64(given)


def _real(given: float, _: Source) -> float | str:
    if isfinite(given):
        return given
    return "NaN" if isnan(given) else "Infinity" if given > 0 else "-Infinity"
