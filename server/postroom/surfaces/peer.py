"""Who is at the other end of a gRPC call, as far as the connection tells."""

import ipaddress
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from postroom.errors import Forbidden

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Admit = Callable[[Any], None]


# A connection has one name for all its calls.
@lru_cache(4096)
def host_of(peer: str) -> str:
    """The address in gRPC's name of a peer, such as `ipv6:%5B::1%5D:5`; '' for none."""
    kind, _, rest = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return ""
    host = unquote(rest).rpartition(":")[0]
    return host.removeprefix("[").removesuffix("]")


def uris_of(context: Any) -> Sequence[str]:
    """The URIs of the certificate that the peer has shown."""
    found = context.auth_context().get("peer_uri", ())
    return [uri.decode("ascii", "replace") for uri in found]


def only_from(networks: Sequence[Network]) -> Admit:
    """Refuse callers that come neither from this machine nor from one of the networks."""

    def admit(context: Any) -> None:
        if not is_within(host_of(context.peer()), networks):
            raise Forbidden(
                "only the proxy may call here in plain text; call through it", "NOT_THE_PROXY"
            )

    return admit


def is_within(host: str, networks: Sequence[Network]) -> bool:
    """Whether an address is this machine's own or one of the networks'."""
    found = _address(host)
    return found is not None and (found.is_loopback or is_in(host, networks))


def is_in(host: str, networks: Sequence[Network]) -> bool:
    """Whether an address is one of the networks'."""
    found = _address(host)
    return found is not None and any(found in network for network in networks)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
