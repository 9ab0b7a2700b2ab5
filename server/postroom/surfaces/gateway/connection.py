"""What the server knows of a connection and hands on in the scope of each request."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from postroom.rpc.identity import SESSION
from postroom.surfaces.gateway.asgi import Headers, Scope

PROXIED: Final = "is_proxied"


def peer(scope: Scope) -> str:
    """Return the address of the client, '' on a Unix socket."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def peer_uris(scope: Scope) -> Sequence[str]:
    """The URIs of the certificate that the client has shown."""
    found: Sequence[str] = _known(scope).get("peer_uris", ())
    return found


def origin(scope: Scope, headers: Headers) -> tuple[str, Sequence[str], bool, str]:
    """Where a request comes from, as the last parts of Incoming."""
    is_proxied = bool(_known(scope).get(PROXIED))
    return peer(scope), peer_uris(scope), is_proxied, headers.first(SESSION)


def proxied(scope: Scope) -> dict[str, Any]:
    """The extensions of the scope of a request that a known proxy has handed on."""
    extensions = scope.get("extensions") or {}
    return {**extensions, "postroom": {**_known(scope), PROXIED: True}}


def cut(scope: Scope) -> Callable[[], None]:
    """What to call to be rid of a client that does not read."""
    found: Callable[[], None] = _known(scope).get("cut", _nothing)
    return found


def _known(scope: Scope) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (scope.get("extensions") or {}).get("postroom", {})
    return found


def _nothing() -> None:
    """There is no connection to end."""
