"""What a tool takes and answers, as JSON Schema 2020-12 that refers to nothing outside itself."""

from typing import Final

from google.protobuf.descriptor import Descriptor

from postroom.rpc.contract import Contract, Spec
from postroom.rpc.schema import Schema, Schemas, messages_in
from postroom.surfaces.tools.spelling import Spelling, spelling_of

REFUSAL: Final = "Refusal"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE: Final = "#/$defs/"
_TEXT: Final[Schema] = {"type": "string"}
_PROPERTIES: Final[Schema] = {
    "code": {"type": "string", "description": "The gRPC status code, such as not_found."},
    "reason": {"type": "string", "description": "The reason, for programs to match on."},
    "message": {"type": "string", "description": "What is wrong and what to do instead."},
    "violations": {
        "type": "array",
        "description": "Each field that is wrong.",
        "items": {"type": "object", "properties": {"field": _TEXT, "description": _TEXT}},
    },
    "resources": {
        "type": "array",
        "description": "What the refusal is about.",
        "items": {
            "type": "object",
            "properties": {"type": _TEXT, "name": _TEXT, "description": _TEXT},
        },
    },
    "quota": {
        "type": "object",
        "description": "The limit that is reached.",
        "properties": {"subject": _TEXT, "description": _TEXT},
    },
    "facts": {"type": "object", "additionalProperties": _TEXT},
    "error": {
        "type": "object",
        "description": "The reason, the message and the facts once more, as data.",
        "properties": {
            "type": _TEXT,
            "message": _TEXT,
            "data": {"type": "object", "additionalProperties": _TEXT},
        },
    },
    "retryAfterSeconds": {"type": "number"},
}
_REFUSAL: Final[Schema] = {
    "type": "object",
    "description": "Why the call was refused; then isError is true.",
    "required": ["code", "reason", "message"],
}


def input_schema(contract: Contract, spec: Spec) -> Schema:
    """What a call may give: every limit, and no field that the method does not have."""
    schemas = Schemas(contract, _REFERENCE, snake_case=spec.spells_snake_case)
    held = messages_in(f.message for f in spec.fields if f.message is not None)
    schema = {"$schema": _DIALECT, **schemas.of_request(spec.fields, "")}
    if held:
        docs = contract.docs
        schema["$defs"] = {
            one.name: schemas.of_request(contract.fields(one), docs.get(one.full_name, ""))
            for one in held
        }
    return schema


def output_schema(contract: Contract, spec: Spec) -> Schema:
    """What a call answers: the response, or the refusal.

    A client that checks every structured result against the schema must be able to
    read a refusal too, so both are in it.
    """
    spelling = spelling_of(spec)
    schemas = Schemas(contract, _REFERENCE, snake_case=spec.spells_snake_case)
    responses = {one.name: _response(schemas, one, spelling) for one in messages_in([spec.output])}
    return {
        "$schema": _DIALECT,
        "type": "object",
        "anyOf": [{"$ref": _REFERENCE + spec.output.name}, {"$ref": _REFERENCE + REFUSAL}],
        "$defs": {**responses, REFUSAL: _refusal(spelling)},
    }


def _refusal(spelling: Spelling) -> Schema:
    properties = {spelling.word(name): told for name, told in _PROPERTIES.items()}
    return _REFUSAL | {"properties": properties}


def _response(schemas: Schemas, message: Descriptor, spelling: Spelling) -> Schema:
    schema = schemas.of_response(message)
    # The structured form leaves out what is unset, inner messages too.
    absent = {spelling.of(field) for field in message.fields if field.has_presence}
    always = [name for name in schema.pop("required", []) if name not in absent]
    return schema | ({"required": always} if always else {})
