"""A contract that no generated code knows, with every rule and every shape of field."""

from typing import Any

from google.api import annotations_pb2, field_behavior_pb2
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    MethodOptions,
    ServiceDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message

from agent.v1 import options_pb2
from postroom.rpc.contract import Contract, read

F = FieldDescriptorProto
ONE, MANY = F.LABEL_OPTIONAL, F.LABEL_REPEATED
DOCS = {
    "post.Post.StampLetter": "Stamp one\nletter.\n\nThen it may travel.",
    "post.Letter.title": "What it is about.",
}


def contract() -> Contract:
    """The contract of the service post.Post."""
    pool = DescriptorPool()
    for module in (descriptor_pb2, options_pb2):
        pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    pool.AddSerializedFile(_file().SerializeToString())
    return read(["post.proto"], pool, DOCS)


def letter(scripted: Contract, **fields: Any) -> Message:
    """A request of the scripted service."""
    return scripted.specs[0].request_class(**fields)


def _file() -> FileDescriptorProto:
    file = FileDescriptorProto(name="post.proto", package="post", syntax="proto3")
    file.enum_type.add(name="Color").value.add(name="COLOR_UNSPECIFIED", number=0)
    file.enum_type[0].value.add(name="COLOR_RED", number=1)
    file.message_type.extend([_letter(), _page(), DescriptorProto(name="Stamped")])
    file.message_type[2].field.add(name="count", number=1, type=F.TYPE_INT32, label=ONE)
    file.service.append(_service())
    return file


def _letter() -> DescriptorProto:
    message = DescriptorProto(name="Letter")
    entry = message.nested_type.add(name="LabelsEntry")
    entry.options.map_entry = True
    _add(entry, "key", F.TYPE_STRING)
    _add(entry, "value", F.TYPE_STRING)
    _require(_add(message, "title", F.TYPE_STRING)).max_characters = 5
    _require(_add(message, "first", F.TYPE_MESSAGE, ONE, ".post.Page"))
    _rules(_add(message, "pages", F.TYPE_MESSAGE, MANY, ".post.Page")).max_items = 2
    _rules(_require_field(_add(message, "tags", F.TYPE_STRING, MANY))).max_characters = 3
    _add(message, "color", F.TYPE_ENUM, ONE, ".post.Color")
    _add(message, "colors", F.TYPE_ENUM, MANY, ".post.Color")
    _rules(_add(message, "count", F.TYPE_INT32)).minimum = 2
    _rules(_add(message, "key", F.TYPE_STRING)).request_key = True
    _add(message, "labels", F.TYPE_MESSAGE, MANY, ".post.Letter.LabelsEntry")
    for name, label in (("mood", ONE), ("moods", MANY), ("tone", ONE)):
        _rules(_add(message, name, F.TYPE_STRING, label)).words.extend(["calm", "cross"])
    message.oneof_decl.add(name="_tone")
    message.field[-1].proto3_optional, message.field[-1].oneof_index = True, 0
    _rules(_add(message, "note", F.TYPE_STRING)).max_bytes = 4
    _rules(_add(message, "raw", F.TYPE_BYTES)).max_bytes = 3
    for name in ("team", "writer"):
        _rules(_add(message, name, F.TYPE_STRING)).speaker = True
    return message


def _page() -> DescriptorProto:
    message = DescriptorProto(name="Page")
    _rules(_add(message, "text", F.TYPE_STRING)).max_characters = 4
    _add(message, "next", F.TYPE_MESSAGE, ONE, ".post.Page")
    _rules(_add(message, "number", F.TYPE_INT32)).minimum = 0
    return message


def _service() -> ServiceDescriptorProto:
    service = ServiceDescriptorProto(name="Post")
    for name, streams in (("StampLetter", False), ("ReadLetter", False), ("WatchPost", True)):
        service.method.add(
            name=name,
            input_type=".post.Letter",
            output_type=".post.Stamped",
            server_streaming=streams,
        )
    options = service.method[0].options
    offer = options.Extensions[options_pb2.offer]
    offer.roles.extend(["reader", "writer"])
    offer.max_request_bytes = 8 * 1024 * 1024
    offer.resource.uri = "post://letters/{id}{?mood}"
    offer.resource.fields["id"] = "title"
    http = options.Extensions[annotations_pb2.http]
    http.put, http.body, http.response_body = "/v1/{title}", "first", "count"
    http.additional_bindings.add(delete="/v1/letters/{title}")
    other = http.additional_bindings.add()
    other.custom.kind, other.custom.path = "STAMP", "/v1/letters"
    http.additional_bindings.add()
    service.method[1].options.idempotency_level = MethodOptions.NO_SIDE_EFFECTS
    service.method[1].options.Extensions[options_pb2.offer].tells_caller = True
    service.options.Extensions[options_pb2.tools].snake_case = True
    service.method[2].options.idempotency_level = MethodOptions.IDEMPOTENT
    return service


def _add(
    message: DescriptorProto,
    name: str,
    type: F.Type.ValueType,
    label: F.Label.ValueType = ONE,
    type_name: str = "",
) -> FieldDescriptorProto:
    number = len(message.field) + 1
    return message.field.add(
        name=name, number=number, type=type, label=label, type_name=type_name or None
    )


def _rules(field: FieldDescriptorProto) -> options_pb2.FieldRules:
    return field.options.Extensions[options_pb2.rules]


def _require_field(field: FieldDescriptorProto) -> FieldDescriptorProto:
    field.options.Extensions[field_behavior_pb2.field_behavior].append(field_behavior_pb2.REQUIRED)
    return field


def _require(field: FieldDescriptorProto) -> options_pb2.FieldRules:
    return _rules(_require_field(field))
