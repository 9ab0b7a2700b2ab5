"""The comments of proto files, by the full name of what they stand above."""

from collections.abc import Iterator, Mapping

from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto, FileDescriptorSet

# Field numbers in descriptor.proto: which list of its parent an element is in.
_FILE_MESSAGE, _FILE_ENUM, _FILE_SERVICE = 4, 5, 6
_MESSAGE_FIELD, _MESSAGE_MESSAGE, _MESSAGE_ENUM = 2, 3, 4
_ENUM_VALUE = _SERVICE_METHOD = 2

Path = tuple[int, ...]


def comments(files: FileDescriptorSet) -> Mapping[str, str]:
    """Return the leading comment of each service, method, message, field and enum value."""
    found: dict[str, str] = {}
    for file in files.file:
        texts = {tuple(at.path): at.leading_comments for at in file.source_code_info.location}
        for name, path in _elements(file):
            text = texts.get(path, "")
            found[name] = "\n".join(line.removeprefix(" ") for line in text.splitlines()).strip()
    return found


def _elements(file: FileDescriptorProto) -> Iterator[tuple[str, Path]]:
    package = file.package
    for i, message in enumerate(file.message_type):
        yield from _of_message(message, f"{package}.{message.name}", (_FILE_MESSAGE, i))
    for i, enum in enumerate(file.enum_type):
        at: Path = (_FILE_ENUM, i)
        yield f"{package}.{enum.name}", at
        for j, value in enumerate(enum.value):
            yield f"{package}.{enum.name}.{value.name}", (*at, _ENUM_VALUE, j)
    for i, service in enumerate(file.service):
        at = (_FILE_SERVICE, i)
        yield f"{package}.{service.name}", at
        for j, method in enumerate(service.method):
            yield f"{package}.{service.name}.{method.name}", (*at, _SERVICE_METHOD, j)


def _of_message(message: DescriptorProto, name: str, at: Path) -> Iterator[tuple[str, Path]]:
    yield name, at
    for i, field in enumerate(message.field):
        yield f"{name}.{field.name}", (*at, _MESSAGE_FIELD, i)
    for i, nested in enumerate(message.nested_type):
        yield from _of_message(nested, f"{name}.{nested.name}", (*at, _MESSAGE_MESSAGE, i))
    for i, enum in enumerate(message.enum_type):
        nested_at = (*at, _MESSAGE_ENUM, i)
        yield f"{name}.{enum.name}", nested_at
        for j, value in enumerate(enum.value):
            yield f"{name}.{enum.name}.{value.name}", (*nested_at, _ENUM_VALUE, j)
