"""What an answer says: the response, or why there is none."""

import json
from typing import Any

from google.protobuf.descriptor import Descriptor

from postroom.cli.connection import Answer, stranger
from postroom.cli.failure import CODES, Failure

_OK = 200
# What a proxy says while there is no server behind it.
_NO_SERVER_BEHIND = (502, 503, 504)


def response(answer: Answer, output: Descriptor, url: str) -> dict[str, Any]:
    """Return the response's JSON. Raises the server's refusal as a Failure."""
    value = _parsed(answer, url)
    if answer.status != _OK:
        raise _refusal(value, answer, url)
    names = {field.json_name for field in output.fields}
    # A newer server may add fields, but it never leaves all of ours out.
    if not isinstance(value, dict) or (names and names.isdisjoint(value)):
        raise stranger(url, f"its answer is no {output.name}")
    return value


def _parsed(answer: Answer, url: str) -> Any:
    try:
        return json.loads(answer.body.decode())
    except (ValueError, RecursionError) as error:
        if answer.status in _NO_SERVER_BEHIND:
            told = f"what stands before the server at {url} says HTTP {answer.status}; "
            raise Failure("unavailable", f"{told}see that the server runs") from error
        kind = answer.content_type.split(";")[0].strip() or "something"
        raise stranger(url, f"HTTP {answer.status}, {kind} that is not JSON") from error


def _refusal(value: Any, answer: Answer, url: str) -> Failure:
    code = value.get("code") if isinstance(value, dict) else None
    # A bool is an int to Python, but no code.
    if type(code) is not int or not 0 < code < len(CODES):
        return stranger(url, f"HTTP {answer.status} without a status of ours")
    told = str(value.get("message") or "the server gave no reason")
    return Failure(CODES[code], told, reason=_reason(value))


def _reason(value: Any) -> str:
    details = value.get("details")
    found = [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    return next((str(one["reason"]) for one in found if "reason" in one), "")
