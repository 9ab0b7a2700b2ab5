"""The OpenAPI 3.1 document of the JSON routes, read from the contract."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf.descriptor import Descriptor

from postroom.rpc.contract import Binding, Contract, Field, Spec
from postroom.rpc.schema import Schema, Schemas, messages_in, one_line

_REFERENCE = "#/components/schemas/"
_VARIABLE = re.compile(r"\{([^}=]+)(=[^}]*)?\}")
_JSON = "application/json"
_STATUS: Schema = {
    "type": "object",
    "description": "Why a call failed, as google.rpc.Status.",
    "properties": {
        "code": {"type": "integer", "description": "The gRPC status code."},
        "message": {"type": "string", "description": "What is wrong and what to do instead."},
        "details": {
            "type": "array",
            "items": {"type": "object", "required": ["@type"]},
            "description": "google.rpc details; ErrorInfo gives a reason for programs.",
        },
    },
    "required": ["code", "message", "details"],
}
_CALLER: Schema = {
    "name": "Postroom-Agent-Id",
    "in": "header",
    "required": False,
    "description": "The id of the agent that calls; the operator calls without it.",
    "schema": {"type": "string"},
}


def document(contract: Contract, version: str) -> Schema:
    """Describe every route of every method that does not stream."""
    unary = [spec for spec in contract.specs if not spec.streams_responses]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "postroom",
            "version": version,
            "summary": "Mail between AI agents and the person who runs them.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": _tags(contract, unary),
        "paths": _paths(contract, unary),
        "components": {"schemas": _components(contract, unary)},
    }


def _tags(contract: Contract, specs: Iterable[Spec]) -> list[Schema]:
    services = dict.fromkeys(spec.service for spec in specs)
    return [
        {"name": name.rpartition(".")[2], "description": one_line(contract.docs.get(name, ""))}
        for name in services
    ]


def _paths(contract: Contract, specs: Iterable[Spec]) -> Schema:
    paths: dict[str, Schema] = {}
    schemas = Schemas(contract, _REFERENCE)
    for spec in specs:
        default = Binding("POST", f"/{spec.full_name}", "*")
        for number, binding in enumerate(spec.bindings or (default,)):
            path = _VARIABLE.sub(lambda found: f"{{{found[1]}}}", binding.template)
            operation = _operation(contract, schemas, spec, binding)
            operation["operationId"] = spec.name if not number else f"{spec.name}{number + 1}"
            paths.setdefault(path, {})[binding.verb.lower()] = operation
    return paths


def _operation(contract: Contract, schemas: Schemas, spec: Spec, binding: Binding) -> Schema:
    in_path = {found[1] for found in _VARIABLE.finditer(binding.template)}
    operation: Schema = {
        "tags": [spec.service.rpartition(".")[2]],
        "summary": spec.summary,
        "description": spec.doc,
        "parameters": [_CALLER, *_path_parameters(schemas, spec, in_path)],
        "responses": _responses(spec),
    }
    if not binding.body:
        operation["parameters"] += _query_parameters(contract, schemas, spec.fields, in_path)
    elif binding.body == "*":
        rest = [field for field in spec.fields if field.name not in in_path]
        operation["requestBody"] = _body(schemas.of_request(rest, ""), spec.fields)
    return operation


def _path_parameters(schemas: Schemas, spec: Spec, in_path: set[str]) -> Iterator[Schema]:
    for field in spec.fields:
        if field.name in in_path:
            schema = schemas.of_field(field) | {"minLength": 1}
            description = schema.pop("description", "")
            yield {
                "name": field.name,
                "in": "path",
                "required": True,
                "description": description,
                "schema": schema,
            }


def _query_parameters(
    contract: Contract, schemas: Schemas, fields: Iterable[Field], bound: set[str], path: str = ""
) -> Iterator[Schema]:
    for field in fields:
        if path + field.name in bound:
            continue
        if field.message is not None:
            inner = contract.fields(field.message)
            yield from _query_parameters(
                contract, schemas, inner, bound, f"{path}{field.json_name}."
            )
            continue
        schema = schemas.of_field(field)
        yield {
            "name": path + field.json_name,
            "in": "query",
            "required": field.required,
            "description": schema.pop("description", ""),
            "schema": schema,
        }


def _body(schema: Schema, fields: Iterable[Field]) -> Schema:
    needed = any(field.required for field in fields)
    return {"required": needed, "content": {_JSON: {"schema": schema}}}


def _responses(spec: Spec) -> Schema:
    answer = {"$ref": _REFERENCE + spec.output.name}
    return {
        "200": {"description": "Done.", "content": {_JSON: {"schema": answer}}},
        "default": {
            "description": "Refused; the HTTP status is grpc-gateway's for the code.",
            "content": {_JSON: {"schema": {"$ref": _REFERENCE + "Status"}}},
        },
    }


def _components(contract: Contract, specs: Iterable[Spec]) -> dict[str, Any]:
    schemas = Schemas(contract, _REFERENCE)
    specs = list(specs)
    outputs = messages_in(spec.output for spec in specs)
    inputs = messages_in(
        field.message for spec in specs for field in spec.fields if field.message is not None
    )
    return {
        **{message.name: _sent(contract, schemas, message) for message in inputs},
        **{message.name: schemas.of_response(message) for message in outputs},
        "Status": _STATUS,
    }


def _sent(contract: Contract, schemas: Schemas, message: Descriptor) -> Schema:
    doc = contract.docs.get(message.full_name, "")
    return schemas.of_request(contract.fields(message), doc)
