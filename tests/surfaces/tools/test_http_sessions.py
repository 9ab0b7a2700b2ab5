"""Mcp-Session-Id: opened by initialize, told apart from all others, ended by DELETE."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import httpx2
import pytest

from postroom.surfaces.tools import Endpoint
from tests.room import CONTRACT, Room

from .clients import URL, over_http
from .test_http import elsewhere

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
Ask = Callable[[httpx2.AsyncClient], Coroutine[Any, Any, Any]]


def served(room: Room, ask: Ask) -> Any:
    """What a client of an endpoint with sessions came to."""

    async def run() -> Any:
        endpoint = Endpoint(elsewhere, room.registry, CONTRACT, sessions=room.registry.sessions)
        running = asyncio.create_task(endpoint.run())
        transport = httpx2.ASGITransport(endpoint)
        try:
            async with httpx2.AsyncClient(transport=transport, headers=ACCEPT) as http:
                return await ask(http)
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    return asyncio.run(run())


async def post(
    http: httpx2.AsyncClient, method: str, params: Any, session: str = "", agent: str = ""
) -> httpx2.Response:
    headers = {"mcp-session-id": session} if session else {}
    if agent:
        headers["postroom-agent-id"] = agent
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return await http.post(URL, json=request, headers=headers)


async def opened(http: httpx2.AsyncClient) -> str:
    answer = await post(http, "initialize", INITIALIZE)
    assert answer.status_code == 200
    return str(answer.headers["mcp-session-id"])


async def tool(http: httpx2.AsyncClient, name: str, session: str, /, **arguments: Any) -> Any:
    agent = arguments.pop("agent", "")
    params = {"name": name, "arguments": arguments}
    answer = await post(http, "tools/call", params, session, agent)
    data = json.loads(answer.text[answer.text.index("{") :])
    return data["result"]["structuredContent"]


def test_initialize_opens_a_session_of_its_own_and_nothing_else_does(room: Room) -> None:
    async def ask(http: httpx2.AsyncClient) -> Any:
        ids = [await opened(http) for _ in range(2)]
        listed = await post(http, "tools/list", {})
        other = await post(http, "tools/call", {"name": "x", "arguments": {"q": "initialize"}})
        return ids, listed, other

    ids, listed, other = served(room, ask)
    assert len(set(ids)) == 2
    assert all(len(id) >= 32 for id in ids)
    assert listed.status_code == 200
    assert "mcp-session-id" not in listed.headers
    assert "mcp-session-id" not in other.headers


def test_an_unknown_session_is_not_found_and_an_ended_one_too(room: Room) -> None:
    async def ask(http: httpx2.AsyncClient) -> list[tuple[int, int]]:
        id = await opened(http)
        unknown = await post(http, "tools/list", {}, "x" * 64)
        assert unknown.json()["error"]["message"].endswith("initialize a new one")
        statuses = [(await post(http, "tools/list", {}, id)).status_code]
        ended = await http.delete(URL, headers={"mcp-session-id": id})
        again = await http.delete(URL, headers={"mcp-session-id": id})
        statuses += [unknown.status_code, ended.status_code, again.status_code]
        return [*statuses, (await post(http, "tools/list", {}, id)).status_code]  # type: ignore[list-item]

    assert served(room, ask) == [200, 404, 204, 404, 404]


def test_two_ids_in_one_request_are_none(room: Room) -> None:
    async def ask(http: httpx2.AsyncClient) -> int:
        ids = [await opened(http), await opened(http)]
        headers = [("mcp-session-id", id) for id in ids]
        return (await http.post(URL, content=b"{}", headers=headers)).status_code

    assert served(room, ask) == 404


def test_a_session_has_no_stream_to_open(room: Room) -> None:
    async def ask(http: httpx2.AsyncClient) -> int:
        headers = {"mcp-session-id": await opened(http)}
        return (await http.get(URL, headers=headers)).status_code

    assert served(room, ask) == 405


def _strangers(room: Room) -> None:
    room.agent("alfa")
    room.agent("bravo")
    room.call("SetContactPolicy", project_key="main", agent_name="bravo", policy="contacts_only")


def test_who_has_called_in_a_session_needs_no_approval_in_it(room: Room) -> None:
    _strangers(room)
    alfa, bravo = (agent.id for agent in room.call("ListAgents").agents)
    message = {"project_key": "main", "sender_name": "alfa", "to": ["bravo"]}
    message |= {"subject": "s", "body_md": "b"}

    async def ask(http: httpx2.AsyncClient) -> list[Any]:
        one, other = await opened(http), await opened(http)
        await tool(http, "list_mail", other, agent=bravo)
        found = [await tool(http, "send_message", one, agent=alfa, **message)]
        found.append(await tool(http, "send_message", other, agent=alfa, **message))
        return found

    refused, sent = served(room, ask)
    assert refused["reason"] == "CONTACT_REQUIRED"
    assert refused["error"]["data"]["auto_contact_requested"] == "bravo"
    assert sent["count"] == 1


def test_who_was_registered_in_a_session_needs_no_approval_in_it(room: Room) -> None:
    room.agent("alfa")
    new = {"project_key": "main", "name": "carla", "contact_policy": "contacts_only"}
    message = {"project_key": "main", "sender_name": "alfa", "to": ["carla"]}
    message |= {"subject": "s", "body_md": "b"}

    async def ask(http: httpx2.AsyncClient) -> list[Any]:
        one, other = await opened(http), await opened(http)
        await tool(http, "register_agent", one, **new)
        return [await tool(http, "send_message", id, **message) for id in (other, "", one)]

    elsewhere_, nowhere, here = served(room, ask)
    assert elsewhere_["reason"] == nowhere["reason"] == "CONTACT_REQUIRED"
    assert here["count"] == 1


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_the_librarys_own_client_works_with_sessions(room: Room, era: str) -> None:
    alfa = room.agent("alfa")

    async def run() -> Any:
        endpoint = Endpoint(elsewhere, room.registry, CONTRACT, sessions=room.registry.sessions)
        running = asyncio.create_task(endpoint.run())
        async with over_http(endpoint, alfa.id, era) as client:
            await client.call_tool("send_mail", {"to": "operator", "body": "b"})
            result = await client.call_tool("list_mail", {"direction": "MAIL_DIRECTION_SENT"})
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        return result

    assert len(asyncio.run(run()).structured_content["mail"]) == 1
