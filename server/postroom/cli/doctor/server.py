"""Whether a server answers, is ready, and is of this version."""

import json
from typing import Any

from postroom.cli.connection import Answer, stranger
from postroom.cli.doctor.finding import Finding, of_error, ok, problem, warning
from postroom.cli.failure import Failure

_OK = 200
_LOOK = "see the server's log"
Said = Answer | Failure


def health(url: str, said: Said) -> Finding:
    """Read what /healthz said."""
    if isinstance(said, Failure):
        return of_error(said, _LOOK)
    if said.status != _OK or "status" not in document(said):
        return of_error(stranger(url, f"HTTP {said.status} at /healthz"), _LOOK)
    return ok(f"a server answers at {url}")


def readiness(said: Said) -> Finding:
    """Read what /readyz said."""
    if isinstance(said, Failure):
        return of_error(said, _LOOK)
    if said.status == _OK:
        return ok("it is ready: its database takes writes")
    told = document(said)
    reason = str(told.get("reason", f"HTTP {said.status}"))
    what, _, mend = str(told.get("message", "")).partition("; ")
    return problem(f"it is not ready ({reason}): {what}", mend or _LOOK)


def versions(mine: str, said: Said) -> Finding:
    """Compare this command with what /openapi.json says of the server."""
    info = {} if isinstance(said, Failure) else document(said).get("info")
    theirs = info.get("version") if isinstance(info, dict) else None
    if not isinstance(theirs, str):
        return warning("it does not tell its version", "see that its postroom is not very old")
    if theirs != mine:
        told = f"it is postroom {theirs}, and this command is {mine}"
        return warning(told, "upgrade the older one, and restart the server")
    return ok(f"it is postroom {mine}, as this command is")


def grpc_port(address: str, error: str) -> Finding:
    """Say whether the gRPC listener took a connection; the error is '' when it did."""
    if not error:
        return ok(f"gRPC answers at {address}")
    return warning(
        f"nothing takes gRPC at {address} ({error})",
        "the server prints its gRPC address when it starts; POSTROOM_GRPC or --grpc sets it",
    )


def document(answer: Answer) -> dict[str, Any]:
    """The JSON object of an answer, empty where it is none."""
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
