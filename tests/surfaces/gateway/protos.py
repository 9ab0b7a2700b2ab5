"""Protos written in one line per message, for tests."""

import re
from collections.abc import Mapping, Sequence

from google.api import annotations_pb2, httpbody_pb2
from google.api.http_pb2 import HttpRule
from google.protobuf import (
    any_pb2,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    struct_pb2,
    timestamp_pb2,
    wrappers_pb2,
)
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    MethodDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.rpc import error_details_pb2

F = FieldDescriptorProto
KNOWN = (
    any_pb2,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    struct_pb2,
    timestamp_pb2,
    wrappers_pb2,
    httpbody_pb2,
    error_details_pb2,
)
_FIELD = re.compile(
    r"(?:(optional|repeated|oneof:\w+) )?(map<(\w+),\s*([\w.]+)>|[\w.]+) (\w+)=(\d+)"
)


def pool_of(
    package: str,
    messages: Mapping[str, str],
    enums: Mapping[str, Sequence[str]],
    methods: Sequence[MethodDescriptorProto] = (),
    service: str = "Service",
) -> DescriptorPool:
    """Make a pool with one file, `test.proto`, and the well-known types."""
    file = FileDescriptorProto(name="test.proto", package=package, syntax="proto3")
    file.dependency.extend(module.DESCRIPTOR.name for module in KNOWN)
    for name, values in enums.items():
        enum = file.enum_type.add(name=name)
        for value in values:
            word, _, number = value.partition("=")
            enum.value.add(name=word, number=int(number))
    for name, fields in messages.items():
        _message(file.message_type.add(name=name), f".{package}.{name}", fields, package, enums)
    if methods:
        file.service.add(name=service, method=methods)
    pool = DescriptorPool()
    for module in KNOWN:
        pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    pool.AddSerializedFile(file.SerializeToString())
    return pool


def method(
    name: str, request: str, response: str, *rules: HttpRule, streams: bool = False
) -> MethodDescriptorProto:
    """Make a method; further rules become additional bindings of the first."""
    made = MethodDescriptorProto(
        name=name, input_type=request, output_type=response, server_streaming=streams
    )
    if rules:
        rule = made.options.Extensions[annotations_pb2.http]
        rule.CopyFrom(rules[0])
        rule.additional_bindings.extend(rules[1:])
    return made


def _message(
    message: DescriptorProto, full: str, text: str, package: str, enums: Mapping[str, Sequence[str]]
) -> None:
    for part in filter(None, (part.strip() for part in text.split(";"))):
        found = _FIELD.fullmatch(part)
        assert found, part
        label, type_name, key, held, name, number = found.groups("")
        field = message.field.add(name=name, number=int(number), label=F.LABEL_OPTIONAL)
        if key:
            field.label, field.type = F.LABEL_REPEATED, F.TYPE_MESSAGE
            entry = message.nested_type.add(name="".join(map(str.title, name.split("_"))) + "Entry")
            entry.options.map_entry = True
            _typed(entry.field.add(name="key", number=1, label=1), key, package, enums)
            _typed(entry.field.add(name="value", number=2, label=1), held, package, enums)
            field.type_name = f"{full}.{entry.name}"
        else:
            _typed(field, type_name, package, enums)
        if label == "repeated":
            field.label = F.LABEL_REPEATED
        elif label:
            _into_oneof(message, field, label.removeprefix("oneof:"))
    _synthetic_last(message)


def _typed(
    field: FieldDescriptorProto, name: str, package: str, enums: Mapping[str, Sequence[str]]
) -> None:
    scalar = f"TYPE_{name.upper()}"
    if scalar in F.Type.keys():  # noqa: SIM118 - an enum's wrapper is no dict
        field.type = F.Type.Value(scalar)
        return
    field.type = F.TYPE_ENUM if name in enums or name.endswith("NullValue") else F.TYPE_MESSAGE
    field.type_name = f".{name}" if "." in name else f".{package}.{name}"


def _into_oneof(message: DescriptorProto, field: FieldDescriptorProto, oneof: str) -> None:
    if oneof == "optional":
        field.proto3_optional = True
        return
    names = [one.name for one in message.oneof_decl]
    if oneof not in names:
        message.oneof_decl.add(name=oneof)
        names.append(oneof)
    field.oneof_index = names.index(oneof)


def _synthetic_last(message: DescriptorProto) -> None:
    for field in message.field:
        if field.proto3_optional:
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{field.name}")
