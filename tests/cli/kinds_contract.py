"""A contract of its own, with a field of every kind, that no generated code knows."""

from google.protobuf import timestamp_pb2
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool

from agent.v1 import options_pb2
from postroom.rpc.contract import Contract, read

F = FieldDescriptorProto


def contract() -> Contract:
    pool = DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.AddSerializedFile(_file().SerializeToString())
    docs = {
        "kinds.Service.TryKinds": "Try every kind.\n\nMore about it.",
        "kinds.Try.flag": "A flag.",
    }
    return read(["kinds.proto"], pool, docs)


def _file() -> FileDescriptorProto:
    file = FileDescriptorProto(name="kinds.proto", package="kinds", syntax="proto3")
    file.dependency.append("google/protobuf/timestamp.proto")
    file.message_type.extend([_request(), _inner(), DescriptorProto(name="Done", field=[_done()])])
    file.enum_type.append(_color())
    service = file.service.add(name="Service")
    service.method.add(name="TryKinds", input_type=".kinds.Try", output_type=".kinds.Done")
    service.method.add(
        name="Watch", input_type=".kinds.Try", output_type=".kinds.Done", server_streaming=True
    )
    return file


def _done() -> FieldDescriptorProto:
    return F(name="ok", number=1, type=F.TYPE_BOOL, label=F.LABEL_OPTIONAL)


def _color() -> EnumDescriptorProto:
    enum = EnumDescriptorProto(name="HTTPColor")
    for number, name in enumerate(("UNSPECIFIED", "DARK_RED", "BLUE")):
        enum.value.add(name=f"HTTP_COLOR_{name}", number=number)
    return enum


def _inner() -> DescriptorProto:
    inner = DescriptorProto(name="Inner")
    inner.field.add(name="depth", number=1, type=F.TYPE_INT32, label=F.LABEL_OPTIONAL)
    inner.field.add(
        name="again",
        number=2,
        type=F.TYPE_MESSAGE,
        type_name=".kinds.Inner",
        label=F.LABEL_OPTIONAL,
    )
    return inner


def _request() -> DescriptorProto:
    request = DescriptorProto(name="Try")
    scalars = {
        "flag": F.TYPE_BOOL,
        "small": F.TYPE_INT32,
        "natural": F.TYPE_UINT32,
        "large": F.TYPE_INT64,
        "real": F.TYPE_DOUBLE,
        "raw": F.TYPE_BYTES,
        "text": F.TYPE_STRING,
        "two_words": F.TYPE_STRING,
        "output": F.TYPE_STRING,
    }
    for name, type in scalars.items():
        _add(request, name, type)
    _add(request, "color", F.TYPE_ENUM, ".kinds.HTTPColor")
    _add(request, "due", F.TYPE_MESSAGE, ".google.protobuf.Timestamp")
    _add(request, "inner", F.TYPE_MESSAGE, ".kinds.Inner")
    _add(request, "inners", F.TYPE_MESSAGE, ".kinds.Inner", F.LABEL_REPEATED)
    _add(request, "names", F.TYPE_STRING, "", F.LABEL_REPEATED)
    _add(request, "colors", F.TYPE_ENUM, ".kinds.HTTPColor", F.LABEL_REPEATED)
    _add(request, "labels", F.TYPE_MESSAGE, ".kinds.Try.LabelsEntry", F.LABEL_REPEATED)
    _add(request, "mood", F.TYPE_STRING)
    request.field[-1].options.Extensions[options_pb2.rules].words.extend(["calm", "cross"])
    request.nested_type.append(_entry())
    return request


def _entry() -> DescriptorProto:
    entry = DescriptorProto(name="LabelsEntry")
    entry.options.map_entry = True
    _add(entry, "key", F.TYPE_STRING)
    _add(entry, "value", F.TYPE_STRING)
    return entry


def _add(
    message: DescriptorProto,
    name: str,
    type: F.Type.ValueType,
    type_name: str = "",
    label: F.Label.ValueType = F.LABEL_OPTIONAL,
) -> None:
    number = len(message.field) + 1
    message.field.add(name=name, number=number, type=type, type_name=type_name or None, label=label)
