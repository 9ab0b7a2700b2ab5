"""Messages that are a file, a name with bytes: a flag takes the file itself."""

from pathlib import Path
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from postroom.cli.request import checked, parse_value
from postroom.cli.source import Source

_NAME = "filename"


def is_file(message: Descriptor) -> bool:
    """Whether a message is a filename with bytes, and nothing more."""
    types = {field.name: field.type for field in message.fields}
    name = types.pop(_NAME, None)
    return name == FieldDescriptor.TYPE_STRING and [*types.values()] == [FieldDescriptor.TYPE_BYTES]


def read_file(field: FieldDescriptor, given: str, source: Source) -> Any:
    """Take FILE or @FILE with its name, - without one, or the message as JSON."""
    if given.startswith("{"):
        return checked(parse_value(given), field, field.json_name)
    message: Any = field.message_type
    (data,) = (one.json_name for one in message.fields if one.name != _NAME)
    if given == "-":
        return {_NAME: "", data: source.base64(given)}
    path = Path(given.removeprefix("@"))
    return {_NAME: path.name, data: source.file(path)}
