"""`postroom mcp` at work: MCP on standard input and output, in front of a server."""

import asyncio
import contextlib
import logging
import secrets
import sys
from collections.abc import AsyncIterator

from mcp.server.stdio import stdio_server

from postroom.cli.environment import Client
from postroom.cli.remote import RemoteDoor
from postroom.rpc import contract
from postroom.rpc.contract import Contract
from postroom.rpc.door import Door, Incoming
from postroom.rpc.identity import AGENT_ID, AUTHORIZATION
from postroom.surfaces.tools.server import make_server

_SESSION_BYTES = 32


def run(client: Client, *, may_embed: bool) -> None:
    """Serve until standard input ends. Raises Failure when the database cannot be opened."""
    # Standard output is the protocol's alone.
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    # Ctrl-C is how a person ends it; there is nothing to tell.
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(client, may_embed=may_embed))


async def _serve(client: Client, *, may_embed: bool) -> None:
    declared = contract.load()
    async with _door(declared, client, may_embed=may_embed) as door:
        server = make_server(door, declared, caller=_identity(client))
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())


@contextlib.asynccontextmanager
async def _door(declared: Contract, client: Client, *, may_embed: bool) -> AsyncIterator[Door]:
    async with RemoteDoor(declared.specs, client) as remote:
        if not may_embed or await remote.answers():
            yield remote
            return
    # Imported now: most clients never need the database's libraries.
    from postroom.cli.embedded import embedded

    async with embedded() as door:
        yield door


def _identity(client: Client) -> Incoming:
    found = []
    if client.agent_id:
        found.append((AGENT_ID, client.agent_id))
    if client.token:
        found.append((AUTHORIZATION, f"Bearer {client.token}"))
    # This process is the session: whoever registers in it is known in it.
    return Incoming(found, session=secrets.token_urlsafe(_SESSION_BYTES), surface="mcp")
