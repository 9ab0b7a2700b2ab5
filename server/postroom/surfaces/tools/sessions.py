"""The library's own handling of MCP over HTTP, set up for a door."""

import logging

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from postroom.rpc.contract import Contract
from postroom.rpc.door import Door, TurnedAway, nobody_hears
from postroom.surfaces.tools.server import make_server


def sessions(
    door: Door, contract: Contract, most: int, turned_away: TurnedAway = nobody_hears
) -> StreamableHTTPSessionManager:
    """Make it; a body has `most` bytes, which the endpoint sees to.

    Hosts and origins are checked by the guard in front of the whole listener.
    """
    # It tells of every request that ends as of a session.
    logging.getLogger("mcp").setLevel(logging.WARNING)
    return StreamableHTTPSessionManager(
        make_server(door, contract, turned_away=turned_away),
        stateless=True,
        max_request_body_size=most,
    )
