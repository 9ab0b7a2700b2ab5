"""Where a call comes from, worked out only for the operation that asks."""

from ipaddress import ip_address
from typing import Final, NamedTuple

from postroom.caller_sessions import CallerSession
from postroom.records import Proof
from postroom.rpc.door import Incoming, Outgoing
from postroom.rpc.identity import IDEMPOTENCY_KEY, Identity, values

# As long as a request_id may be.
_LONGEST_REQUEST_ID: Final = 128
_FORWARDED: Final = "x-forwarded-for"
# What proxies write, besides the above, which the JSON surface gives every call.
_MARKS: Final = ("forwarded", "x-real-ip")


class Origin(NamedTuple):
    """Who a caller says it is, what came beside its request, and its session.

    `outgoing` is told who the caller is, as soon as that is proven.
    """

    identity: Identity
    incoming: Incoming
    caller_session: CallerSession
    outgoing: Outgoing

    @property
    def surface(self) -> str:
        """See postroom.office.Origin."""
        return self.incoming.surface

    @property
    def peer(self) -> str:
        """See postroom.office.Origin."""
        return self.incoming.peer

    @property
    def proof(self) -> Proof:
        """See postroom.office.Origin."""
        return self.identity.proof

    @property
    def key_id(self) -> str:
        """See postroom.office.Origin."""
        return self.identity.key_id

    @property
    def request_id(self) -> str:
        """See postroom.office.Origin."""
        return "".join(values(self.incoming.metadata, IDEMPOTENCY_KEY)[:1])[:_LONGEST_REQUEST_ID]

    @property
    def is_unnamed(self) -> bool:
        """See postroom.office.Origin."""
        return self.identity.names_nobody

    @property
    def is_local(self) -> bool:
        """See postroom.office.Origin."""
        incoming = self.incoming
        if incoming.is_proxied or not _is_loopback(incoming.peer):
            return False
        metadata = incoming.metadata
        if any(values(metadata, mark) for mark in _MARKS):
            return False
        # A gateway adds the address of whom it got the call from; any other is a proxy's.
        return all(hop == incoming.peer for hop in values(metadata, _FORWARDED))


def _is_loopback(peer: str) -> bool:
    if not peer:
        return True
    try:
        found = ip_address(peer)
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback
