"""A call's arguments into a request, strictly."""

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from postroom.rpc import protojson
from postroom.rpc.contract import Spec


def request_of(spec: Spec, arguments: Mapping[str, Any] | None) -> Message:
    """Read the request. Raises JsonInvalid, which names the field that is wrong.

    Both spellings of a name are taken; what the method does not have is refused.
    """
    try:
        text = json.dumps(arguments or {})
    except (ValueError, TypeError, RecursionError):
        raise protojson.JsonInvalid("", "the arguments are no JSON object; give one") from None
    value = protojson.parse(text)
    message, _ = protojson.read(value, spec.request_class, strict=True)
    return message
