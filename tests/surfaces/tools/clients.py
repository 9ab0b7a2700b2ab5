"""Clients of the MCP library, in each era of the protocol."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import jsonschema  # type: ignore[import-untyped,unused-ignore]
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from postroom.rpc.door import Door, Incoming
from postroom.surfaces.tools import Endpoint
from postroom.surfaces.tools.server import make_server
from tests.room import CONTRACT

ERAS = ("auto", "legacy")
URL = "http://127.0.0.1:8787/mcp"


def named(agent: str) -> Incoming:
    """Somebody who calls as an agent; the operator when empty."""
    return Incoming((("postroom-agent-id", agent),) if agent else ())


def in_memory(door: Door, agent: str = "", era: str = "auto") -> Client:
    """A client that shares the server's memory."""
    return Client(make_server(door, CONTRACT, caller=named(agent)), mode=era)


@asynccontextmanager
async def over_http(
    endpoint: Endpoint, agent: str = "", era: str = "auto", **headers: str
) -> AsyncIterator[Client]:
    """A client that sends HTTP requests to an endpoint, without a socket."""
    sent = {"postroom-agent-id": agent, **headers} if agent else headers
    transport = httpx2.ASGITransport(endpoint)  # type: ignore[arg-type,unused-ignore]
    async with (
        httpx2.AsyncClient(transport=transport, headers=sent) as http,
        Client(streamable_http_client(URL, http_client=http), mode=era) as client,
    ):
        yield client


def check(schema: dict[str, Any], value: Any) -> None:
    """Fail unless the value fits."""
    jsonschema.Draft202012Validator(schema).validate(value)


def check_schema(schema: dict[str, Any]) -> None:
    """Fail unless it is a schema of the 2020-12 dialect."""
    jsonschema.Draft202012Validator.check_schema(schema)


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Whether the value fits."""
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


async def until(happened: Callable[[], bool]) -> None:
    """Let others run until something of theirs is there that cannot be waited for."""
    while not happened():  # noqa: ASYNC110 - nothing tells when
        await asyncio.sleep(0)


def text_of(result: Any) -> str:
    """The only text of a result."""
    (content,) = result.content
    return str(content.text)
