"""What the proto files declare, as plain values.

Every surface is made from these: a gRPC method, a JSON route, a tool, a command.
The contract is read from any descriptor pool and any comments, so that tests can
hand in protos of their own.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.resources import files

from google.api import annotations_pb2, field_behavior_pb2
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet, MethodOptions
from google.protobuf.descriptor_pool import Default, DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from agent.v1 import options_pb2
from postroom.rpc.comments import comments

# What a request may have where its method says nothing else.
MAX_REQUEST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Binding:
    """One HTTP route of a method, as google.api.http gives it."""

    verb: str
    template: str
    body: str = ""
    response_body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a request or response, with its rules."""

    name: str
    json_name: str
    doc: str
    descriptor: FieldDescriptor
    required: bool
    repeated: bool
    max_characters: int
    max_bytes: int
    max_items: int
    minimum: int | None
    words: tuple[str, ...]
    is_request_key: bool
    is_speaker: bool

    @property
    def message(self) -> Descriptor | None:
        """The field's message type, None for a scalar or an enum."""
        return self.descriptor.message_type

    @property
    def enum(self) -> EnumDescriptor | None:
        """The field's enum type, None for anything else."""
        return self.descriptor.enum_type

    @property
    def is_text(self) -> bool:
        """Whether the value is a string."""
        return self.descriptor.type == FieldDescriptor.TYPE_STRING

    @property
    def is_flag(self) -> bool:
        """Whether the value is true or false."""
        return self.descriptor.type == FieldDescriptor.TYPE_BOOL

    @property
    def choices(self) -> tuple[str, ...]:
        """Every string that it may be, where only some are allowed."""
        may_be_empty = not (self.required or self.repeated or self.descriptor.has_presence)
        return ("", *self.words) if self.words and may_be_empty else self.words


@dataclass(frozen=True, slots=True)
class Resource:
    """How calls of a method are read as resources: a template, and what its variables fill."""

    uri: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Spec:
    """One method: what it is called, what it takes and returns, how it behaves."""

    service: str
    name: str
    doc: str
    input: Descriptor
    output: Descriptor
    reads_only: bool
    is_idempotent: bool
    streams_requests: bool
    streams_responses: bool
    roles: tuple[str, ...]
    max_request_bytes: int
    resource: Resource | None
    tells_caller: bool
    spells_snake_case: bool
    bindings: tuple[Binding, ...]
    fields: tuple[Field, ...]

    @cached_property
    def full_name(self) -> str:
        """Such as agent.v1.AgentService/SendMail."""
        return f"{self.service}/{self.name}"

    @cached_property
    def snake_name(self) -> str:
        """Such as send_mail: the operation's and the tool's name."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.name).lower()

    @property
    def kebab_name(self) -> str:
        """Such as send-mail: the command's name."""
        return self.snake_name.replace("_", "-")

    @property
    def summary(self) -> str:
        """The first sentence of the doc."""
        return self.doc.split("\n\n", 1)[0].replace("\n", " ")

    @cached_property
    def request_key(self) -> str:
        """The name of the field that holds the caller's request id, or ''."""
        return next((f.name for f in self.fields if f.is_request_key), "")

    @cached_property
    def speakers(self) -> tuple[str, ...]:
        """The names of the fields that say for whom the caller speaks."""
        return tuple(f.name for f in self.fields if f.is_speaker)

    @cached_property
    def request_class(self) -> type[Message]:
        """The generated class of the request."""
        return GetMessageClass(self.input)

    @cached_property
    def response_class(self) -> type[Message]:
        """The generated class of the response."""
        return GetMessageClass(self.output)


@dataclass(frozen=True)
class Contract:
    """All methods, in the order of the files, and every comment."""

    specs: tuple[Spec, ...]
    docs: Mapping[str, str]

    def fields(self, message: Descriptor) -> tuple[Field, ...]:
        """The fields of a message that a request or response holds."""
        return tuple(_field(field, self.docs) for field in message.fields)


def load() -> Contract:
    """Read the contract of the generated code, with the comments beside it."""
    described = _described()
    return read(service_files(described), Default(), comments(described))


def service_files(described: FileDescriptorSet | None = None) -> tuple[str, ...]:
    """The files of the generated code that declare services, all loaded."""
    names = [file.name for file in (described or _described()).file if file.service]
    for name in names:
        import_module(name.removesuffix(".proto").replace("/", ".") + "_pb2")
    return tuple(names)


def _described() -> FileDescriptorSet:
    return FileDescriptorSet.FromString((files("agent.v1") / "agent.binpb").read_bytes())


def read(file_names: Iterable[str], pool: DescriptorPool, docs: Mapping[str, str]) -> Contract:
    """Read the services of these files of a pool, in order."""
    specs = tuple(
        _spec(method, docs)
        for file_name in file_names
        for service in pool.FindFileByName(file_name).services_by_name.values()
        for method in service.methods
    )
    return Contract(specs, docs)


def _spec(method: MethodDescriptor, docs: Mapping[str, str]) -> Spec:
    options = method.GetOptions()
    level = options.idempotency_level
    rules = options.Extensions[options_pb2.offer]
    service = method.containing_service
    return Spec(
        service=service.full_name,
        name=method.name,
        doc=docs.get(method.full_name, ""),
        input=method.input_type,
        output=method.output_type,
        reads_only=level == MethodOptions.NO_SIDE_EFFECTS,
        is_idempotent=level != MethodOptions.IDEMPOTENCY_UNKNOWN,
        streams_requests=method.client_streaming,
        streams_responses=method.server_streaming,
        roles=tuple(rules.roles),
        max_request_bytes=rules.max_request_bytes or MAX_REQUEST_BYTES,
        resource=_resource(rules),
        tells_caller=rules.tells_caller,
        spells_snake_case=service.GetOptions().Extensions[options_pb2.tools].snake_case,
        bindings=_bindings(options),
        fields=tuple(_field(field, docs) for field in method.input_type.fields),
    )


def _resource(rules: options_pb2.MethodRules) -> Resource | None:
    found = rules.resource
    return Resource(found.uri, dict(found.fields)) if found.uri else None


def _bindings(options: MethodOptions) -> tuple[Binding, ...]:
    if not options.HasExtension(annotations_pb2.http):
        return ()
    rule = options.Extensions[annotations_pb2.http]
    found = []
    for http in (rule, *rule.additional_bindings):
        kind = http.WhichOneof("pattern")
        if kind == "custom":
            verb, template = http.custom.kind, http.custom.path
        elif kind:
            verb, template = kind.upper(), getattr(http, kind)
        else:
            continue
        found.append(Binding(verb, template, http.body, http.response_body))
    return tuple(found)


def _field(field: FieldDescriptor, docs: Mapping[str, str]) -> Field:
    options = field.GetOptions()
    rules = options.Extensions[options_pb2.rules]
    behavior = options.Extensions[field_behavior_pb2.field_behavior]
    owner = field.containing_type.full_name if field.containing_type else ""
    return Field(
        name=field.name,
        json_name=field.json_name,
        doc=docs.get(f"{owner}.{field.name}", ""),
        descriptor=field,
        required=field_behavior_pb2.REQUIRED in behavior,
        repeated=field.is_repeated,
        max_characters=rules.max_characters,
        max_bytes=rules.max_bytes,
        max_items=rules.max_items,
        minimum=rules.minimum if rules.HasField("minimum") else None,
        words=tuple(rules.words),
        is_request_key=rules.request_key,
        is_speaker=rules.speaker,
    )
