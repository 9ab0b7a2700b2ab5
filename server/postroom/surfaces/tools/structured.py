"""Responses and refusals as the plain values that programs read."""

from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from postroom.errors import Refusal
from postroom.surfaces.tools.spelling import CAMEL, Spelling

Value = dict[str, Any]


def of_response(message: Message, spelling: Spelling = CAMEL) -> Value:
    """The JSON form of a response, without the fields whose absence says something."""
    value: Value = spelling.printer.plain(message)
    descriptor: Any = message.DESCRIPTOR
    return _present(descriptor, value, spelling)


def of_refusal(refusal: Refusal, spelling: Spelling = CAMEL) -> Value:
    """What a refusal says, empty parts left out."""
    facts = dict(refusal.metadata)
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
        "facts": facts,
    }
    if facts:
        value["error"] = {"type": refusal.reason, "message": refusal.message, "data": facts}
    if refusal.quota:
        quota = refusal.quota
        value["quota"] = {"subject": quota.subject, "description": quota.description}
    if refusal.retry_after is not None:
        value[spelling.word("retryAfterSeconds")] = refusal.retry_after
    return {key: item for key, item in value.items() if item not in ([], {})}


def _present(message: Descriptor, value: Value, spelling: Spelling) -> Value:
    """Leave out null, which the gateway prints for an unset field and no schema has."""
    inner = {spelling.of(f): f.message_type for f in message.fields if _is_ours(f.message_type)}
    return {
        key: _of_field(inner.get(key), item, spelling)
        for key, item in value.items()
        if item is not None
    }


def _of_field(message: Descriptor | None, value: Any, spelling: Spelling) -> Any:
    if message is None:
        return value
    if isinstance(value, list):
        return [_present(message, one, spelling) for one in value]
    return _present(message, value, spelling)


def _is_ours(message: Descriptor | None) -> bool:
    """Whether the JSON form is an object of its fields: no map, no well-known type."""
    if message is None or message.GetOptions().map_entry:
        return False
    return not message.full_name.startswith("google.protobuf.")
