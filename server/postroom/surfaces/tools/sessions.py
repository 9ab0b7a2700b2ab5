"""The library's own handling of MCP over HTTP, set up for a door."""

import logging
from typing import Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from postroom.rpc.contract import MAX_REQUEST_BYTES, Contract
from postroom.rpc.door import Door, TurnedAway, nobody_hears
from postroom.surfaces.tools.server import make_server

# What may stand around the arguments of a call, whose own bound is their method's.
_ENVELOPE_BYTES: Final = 64 * 1024


def sessions(
    door: Door, contract: Contract, turned_away: TurnedAway = nobody_hears
) -> StreamableHTTPSessionManager:
    """Make it. Hosts and origins are checked by the guard in front of the whole listener."""
    # It tells of every request that ends as of a session.
    logging.getLogger("mcp").setLevel(logging.WARNING)
    most = max((spec.max_request_bytes for spec in door.specs), default=MAX_REQUEST_BYTES)
    return StreamableHTTPSessionManager(
        make_server(door, contract, turned_away=turned_away),
        stateless=True,
        max_request_body_size=most + _ENVELOPE_BYTES,
    )
