"""Responses and refusals as the plain values that programs read."""

from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from postroom.errors import Refusal
from postroom.rpc import protojson

Value = dict[str, Any]


def of_response(message: Message) -> Value:
    """The JSON form of a response, without the fields whose absence says something."""
    value: Value = protojson.plain(message)
    descriptor: Any = message.DESCRIPTOR
    return _present(descriptor, value)


def of_refusal(refusal: Refusal) -> Value:
    """What a refusal says, empty parts left out."""
    value: Value = {
        "code": refusal.code.name.lower(),
        "reason": refusal.reason,
        "message": refusal.message,
        "violations": [
            {"field": one.field, "description": one.description} for one in refusal.violations
        ],
        "resources": [
            {"type": one.type, "name": one.name, "description": one.description}
            for one in refusal.resources
        ],
        "facts": dict(refusal.metadata),
    }
    if refusal.quota:
        quota = refusal.quota
        value["quota"] = {"subject": quota.subject, "description": quota.description}
    if refusal.retry_after is not None:
        value["retryAfterSeconds"] = refusal.retry_after
    return {key: item for key, item in value.items() if item not in ([], {})}


def _present(message: Descriptor, value: Value) -> Value:
    """Leave out null, which the gateway prints for an unset field and no schema has."""
    inner = {f.json_name: f.message_type for f in message.fields if _is_ours(f.message_type)}
    return {key: _of_field(inner.get(key), item) for key, item in value.items() if item is not None}


def _of_field(message: Descriptor | None, value: Any) -> Any:
    if message is None:
        return value
    if isinstance(value, list):
        return [_present(message, one) for one in value]
    return _present(message, value)


def _is_ours(message: Descriptor | None) -> bool:
    """Whether the JSON form is an object of its fields: no map, no well-known type."""
    if message is None or message.GetOptions().map_entry:
        return False
    return not message.full_name.startswith("google.protobuf.")
