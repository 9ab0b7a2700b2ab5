"""What the server knows of a connection and hands on in the scope of each request."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from postroom.surfaces.gateway.asgi import Scope


def peer(scope: Scope) -> str:
    """Return the address of the client, '' on a Unix socket."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def peer_uris(scope: Scope) -> Sequence[str]:
    """The URIs of the certificate that the client has shown."""
    found: Sequence[str] = _known(scope).get("peer_uris", ())
    return found


def cut(scope: Scope) -> Callable[[], None]:
    """What to call to be rid of a client that does not read."""
    found: Callable[[], None] = _known(scope).get("cut", _nothing)
    return found


def _known(scope: Scope) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (scope.get("extensions") or {}).get("postroom", {})
    return found


def _nothing() -> None:
    """There is no connection to end."""
