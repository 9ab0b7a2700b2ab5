"""What the JSON form refuses, in both directions."""

import json
from typing import Any

from postroom.errors import InvalidRequest, Violation

_SHOWN = 40
_LONGEST_PATH = 200


class JsonInvalid(InvalidRequest):
    """The JSON does not say what the message needs; the field's path is named if there is one."""

    def __init__(self, path: str, description: str) -> None:
        path = path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}..."
        super().__init__(Violation(path, description), reason="JSON_INVALID")
        if not path:
            self.message = description


class Wrong(ValueError):
    """A value that does not fit; whoever knows the path turns this into JsonInvalid."""


class Unprintable(ValueError):
    """A message that has no JSON form, such as an Any of an unknown type."""


def shown(value: Any) -> str:
    """Return a value as JSON, short enough for an error text."""
    text = str(value) if type(value).__name__ == "Number" else json.dumps(value, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
