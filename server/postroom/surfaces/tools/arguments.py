"""A call's arguments into a request, strictly."""

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from postroom.errors import RequestTooLarge
from postroom.rpc import protojson
from postroom.rpc.contract import Spec


def request_of(spec: Spec, arguments: Mapping[str, Any] | None) -> Message:
    """Read the request.

    Both spellings of a name are taken; what the method does not have is refused. Raises
    JsonInvalid, which names the field that is wrong, and RequestTooLarge.
    """
    try:
        text = json.dumps(arguments or {})
    except (ValueError, TypeError, RecursionError):
        raise protojson.JsonInvalid("", "the arguments are no JSON object; give one") from None
    if len(text) > spec.max_request_bytes:
        _check_size(arguments, spec.max_request_bytes)
    value = protojson.parse(text)
    message, _ = protojson.read(value, spec.request_class, strict=True)
    return message


def _check_size(arguments: Mapping[str, Any] | None, most: int) -> None:
    # As a client sends them: without the escapes that take five times the bytes.
    text = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > most:
        raise RequestTooLarge(size, most)
