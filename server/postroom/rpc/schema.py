"""Messages as JSON Schema: one walk for the OpenAPI document and for tools."""

from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from postroom.rpc.contract import Contract, Field

Schema = dict[str, Any]

_INT32 = {"type": "integer", "format": "int32"}
_UINT32 = {"type": "integer", "format": "int64", "minimum": 0, "maximum": 2**32 - 1}
# protojson writes 64-bit integers as strings.
# The standard form; that for URLs and one without padding are read as well.
_BASE64 = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_INT64 = {"type": "string", "format": "int64", "pattern": "^-?[0-9]+$"}
_UINT64 = {"type": "string", "format": "uint64", "pattern": "^[0-9]+$"}
_REAL = {"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}
_SCALARS: dict[int, Schema] = {
    FieldDescriptor.TYPE_STRING: {"type": "string"},
    FieldDescriptor.TYPE_BYTES: {
        "type": "string",
        "contentEncoding": "base64",
        "pattern": _BASE64,
    },
    FieldDescriptor.TYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.TYPE_DOUBLE: _REAL,
    FieldDescriptor.TYPE_FLOAT: _REAL,
    FieldDescriptor.TYPE_INT32: _INT32,
    FieldDescriptor.TYPE_SINT32: _INT32,
    FieldDescriptor.TYPE_SFIXED32: _INT32,
    FieldDescriptor.TYPE_UINT32: _UINT32,
    FieldDescriptor.TYPE_FIXED32: _UINT32,
    FieldDescriptor.TYPE_INT64: _INT64,
    FieldDescriptor.TYPE_SINT64: _INT64,
    FieldDescriptor.TYPE_SFIXED64: _INT64,
    FieldDescriptor.TYPE_UINT64: _UINT64,
    FieldDescriptor.TYPE_FIXED64: _UINT64,
}


class Schemas:
    """Writes schemas of messages, each with `reference` as the place of another's.

    Fields have their JSON names, or those of the proto where `snake_case` is set.
    """

    def __init__(self, contract: Contract, reference: str, *, snake_case: bool = False) -> None:
        self._contract = contract
        self._reference = reference
        self._snake_case = snake_case

    def of_request(self, fields: Iterable[Field], doc: str) -> Schema:
        """What a caller sends: required fields are required, no other field is allowed."""
        fields = list(fields)
        required = [self._name(field) for field in fields if field.required]
        return self._object(fields, doc, required) | {"additionalProperties": False}

    def of_response(self, message: Descriptor) -> Schema:
        """What is answered: every field is there but those whose absence means something."""
        fields = self._contract.fields(message)
        always = [self._name(field) for field in fields if not _may_be_absent(field)]
        return self._object(fields, self._contract.docs.get(message.full_name, ""), always)

    def of_field(self, field: Field) -> Schema:
        """The value of a field."""
        schema = self._value(field)
        if field.enum is not None and field.required:
            # The first value stands for none.
            schema["enum"] = schema["enum"][1:]
        if field.words:
            schema["enum"] = list(field.choices)
        if longest := _max_length(field):
            schema["maxLength"] = longest
        if field.required and field.is_text and not field.repeated:
            schema["minLength"] = 1
        if field.minimum is not None:
            schema["minimum"] = field.minimum
        if field.repeated:
            schema = {"type": "array", "items": schema}
            if field.required:
                schema["minItems"] = 1
            if field.max_items:
                schema["maxItems"] = field.max_items
        # A $ref may stand beside other keywords in JSON Schema 2020-12.
        described = one_line(" ".join([field.doc, *_in_words(field)]))
        return schema | ({"description": described} if described else {})

    def _object(self, fields: Iterable[Field], doc: str, required: list[str]) -> Schema:
        schema: Schema = {"type": "object"}
        if doc:
            schema["description"] = doc
        schema["properties"] = {self._name(field): self.of_field(field) for field in fields}
        if required:
            schema["required"] = required
        return schema

    def _name(self, field: Field) -> str:
        return field.name if self._snake_case else field.json_name

    def _value(self, field: Field) -> Schema:
        if field.message is not None:
            return {"$ref": self._reference + field.message.name}
        if field.enum is not None:
            return self._enum(field.enum)
        return dict(_SCALARS[field.descriptor.type])

    def _enum(self, enum: EnumDescriptor) -> Schema:
        return {"type": "string", "enum": list(enum.values_by_name)}


def messages_in(messages: Iterable[Descriptor]) -> list[Descriptor]:
    """These messages and all that they hold, each once."""
    found: dict[str, Descriptor] = {}
    waiting = list(messages)
    while waiting:
        message = waiting.pop(0)
        if message.full_name not in found:
            found[message.full_name] = message
            waiting += [f.message_type for f in message.fields if f.message_type is not None]
    return list(found.values())


def one_line(doc: str) -> str:
    """A comment without the line breaks of its source."""
    return " ".join(doc.split())


def _may_be_absent(field: Field) -> bool:
    return field.descriptor.has_presence and field.message is None


def _max_length(field: Field) -> int:
    """The most characters of the JSON string; 0 for any number."""
    if not field.max_bytes:
        return field.max_characters
    if not field.is_text:
        # Of base64, with its padding.
        return -(-field.max_bytes // 3) * 4
    # A character has a byte at least.
    return min(field.max_characters or field.max_bytes, field.max_bytes)


def _in_words(field: Field) -> Iterator[str]:
    """The limits that JSON Schema has no keyword for."""
    if field.max_bytes:
        yield f"At most {field.max_bytes:,} bytes{' of UTF-8' if field.is_text else ''}."
