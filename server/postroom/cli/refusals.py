"""A server's refusal, read back from its JSON, and what to say when there is none."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from postroom.errors import Code, Quota, Refusal, Resource, Violation

_UNSURE = "the call may have taken effect"
Json = Mapping[str, Any]


def refusal(content: bytes, status: int, url: str) -> Refusal:
    """The refusal that an answer other than 200 is."""
    try:
        value = json.loads(content)
        code = Code(value["code"])
        details = [one for one in value.get("details", ()) if isinstance(one, dict)]
        return _refusal(code, str(value.get("message", "")), details)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return stranger(url, f"HTTP {status} without a status of ours")


def unreachable(url: str) -> Refusal:
    """Nobody answers."""
    told = f'cannot reach the server at {url}; start it with "postroom serve" or set POSTROOM_URL'
    return Refusal(told, Code.UNAVAILABLE, "SERVER_UNREACHABLE")


def lost(url: str, how: str, *, timed_out: bool = False) -> Refusal:
    """The answer did not come, so nobody knows what was done."""
    code = Code.DEADLINE_EXCEEDED if timed_out else Code.UNAVAILABLE
    told = f"{url} {how}; {_UNSURE}: repeat it with the requestId that it had, or look first"
    return Refusal(told, code, "ANSWER_LOST")


def stranger(url: str, found: str) -> Refusal:
    """The address belongs to another program."""
    told = f"what answers at {url} is not postroom ({found}); set POSTROOM_URL to the server"
    return Refusal(told, Code.UNAVAILABLE, "NOT_POSTROOM")


def _refusal(code: Code, message: str, details: Iterable[Json]) -> Refusal:
    by_type = {str(one.get("@type", "")).rpartition(".")[2]: one for one in details}
    info = by_type.get("ErrorInfo", {})
    told = Refusal(message or "the server gave no reason", code, str(info.get("reason", code.name)))
    told.metadata = {str(key): str(text) for key, text in info.get("metadata", {}).items()}
    told.violations = tuple(
        Violation(str(one.get("field", "")), str(one.get("description", "")))
        for one in by_type.get("BadRequest", {}).get("fieldViolations", ())
    )
    told.resources = tuple(map(_resource, _all(details, "ResourceInfo")))
    for one in by_type.get("QuotaFailure", {}).get("violations", ()):
        told.quota = Quota(str(one.get("subject", "")), str(one.get("description", "")))
    if "RetryInfo" in by_type:
        told.retry_after = float(str(by_type["RetryInfo"]["retryDelay"]).removesuffix("s"))
    return told


def _all(details: Iterable[Json], name: str) -> list[Json]:
    return [one for one in details if str(one.get("@type", "")).endswith(f".{name}")]


def _resource(one: Json) -> Resource:
    return Resource(
        str(one.get("resourceType", "")),
        str(one.get("resourceName", "")),
        str(one.get("description", "")),
    )
