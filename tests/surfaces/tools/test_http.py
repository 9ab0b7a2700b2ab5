"""MCP over HTTP: each request is the caller's that its own headers name (C67)."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import Any

import httpx2
import pytest

from postroom.rpc.methods import Registry
from postroom.surfaces.tools import Endpoint
from tests.room import CONTRACT, Room

from .clients import ERAS, URL, over_http, text_of, until

IMPORT = "postroom.surfaces.tools.endpoint.import_module"


async def elsewhere(scope: Any, receive: Any, send: Any) -> None:
    """The application behind the endpoint."""
    del receive
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["path"].encode()})


@asynccontextmanager
async def serving(door: Any) -> AsyncIterator[Endpoint]:
    served = Endpoint(elsewhere, door, CONTRACT)
    running = asyncio.create_task(served.run())
    try:
        yield served
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def asked(served: Endpoint, method: str = "POST", path: str = URL) -> httpx2.Response:
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(served)) as http:
        return await http.request(method, path)


@pytest.mark.parametrize("era", ERAS)
def test_three_sessions_at_once_do_not_mix(room: Room, era: str) -> None:
    agents = [room.agent(name) for name in ("alfa", "bravo", "charlie")]

    async def session(served: Endpoint, at: int) -> None:
        me, other = agents[at], agents[(at + 1) % 3]
        async with over_http(served, me.id, era) as client:
            for number in range(5):
                body = f"{me.name} {number}"
                result = await client.call_tool("send_mail", {"to": other.name, "body": body})
                assert result.structured_content["mail"]["fromAgentId"] == me.id
                listed = await client.call_tool("list_mail", {})
                told = listed.structured_content["mail"]
                assert {mail["toAgentId"] for mail in told} <= {me.id}

    async def dropped(served: Endpoint) -> None:
        async with over_http(served, agents[0].id, era) as client:
            await client.list_tools()
            raise ConnectionError

    async def all_at_once() -> None:
        async with serving(room.registry) as served:
            work = [session(served, at) for at in range(3)]
            *done, broken = await asyncio.gather(*work, dropped(served), return_exceptions=True)
            assert done == [None] * 3
            assert isinstance(broken, BaseException)
            await session(served, 0)

    asyncio.run(all_at_once())
    for at, agent in enumerate(agents):
        bodies = {mail.body.split()[0] for mail in room.received(agent.id)}
        assert bodies == {agents[at - 1].name}


@pytest.mark.parametrize("era", ERAS)
def test_one_session_is_each_time_whom_its_request_names(room: Room, era: str) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")

    async def ask() -> list[Any]:
        async with serving(room.registry) as served:
            headers = {"postroom-agent-id": alfa.id}
            transport = httpx2.ASGITransport(served)
            async with httpx2.AsyncClient(transport=transport, headers=headers) as http:
                return [await _who(http, era), await _who(http, era, bravo.id)]

    assert asyncio.run(ask()) == [alfa.id, bravo.id]


async def _who(http: httpx2.AsyncClient, era: str, agent: str = "") -> str:
    """Whose mail a bare tools/call request of that era sends."""
    if agent:
        http.headers["postroom-agent-id"] = agent
    version = "2025-11-25" if era == "legacy" else "2026-07-28"
    params: dict[str, Any] = {"name": "send_mail", "arguments": {"to": "operator", "body": "b"}}
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": version}
    if era == "auto":
        meta = "io.modelcontextprotocol/"
        params["_meta"] = {f"{meta}protocolVersion": version, f"{meta}clientCapabilities": {}}
        headers |= {"mcp-method": "tools/call", "mcp-name": "send_mail"}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = await http.post(URL, json=request, headers=headers)
    data = answer.text[answer.text.index("{") :].strip()
    sender = json.loads(data)["result"]["structuredContent"]["mail"]["fromAgentId"]
    return str(sender)


def test_a_token_decides_who_calls(room: Room) -> None:
    alfa = room.agent("alfa")
    token = room.call("CreateToken", agent_id=alfa.id).token

    async def ask(agent: str = "", **headers: str) -> Any:
        async with serving(room.registry) as served, over_http(served, agent, **headers) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            return tools, await client.call_tool("send_mail", {"to": "operator", "body": "b"})

    tools, sent = asyncio.run(ask(authorization=f"Bearer {token}"))
    assert "create_token" not in tools
    assert sent.structured_content["mail"]["fromAgentId"] == alfa.id
    _, named = asyncio.run(ask(alfa.id))
    assert named.structured_content["reason"] == "TOKEN_REQUIRED"
    _, bad = asyncio.run(ask(authorization="Bearer prt_wrong"))
    assert bad.structured_content["reason"] == "TOKEN_INVALID"
    for result in (sent, named, bad):
        assert token not in text_of(result)


def test_what_the_listener_knows_of_the_connection_reaches_the_door() -> None:
    incoming = []

    class Watched(Registry):
        def __init__(self) -> None:
            pass

        @property
        def specs(self) -> Any:
            return CONTRACT.specs

        async def call(self, spec: Any, request: Any, given: Any, outgoing: Any) -> Any:
            del request, outgoing
            incoming.append(given)
            return spec.response_class()

    async def ask() -> None:
        async with serving(Watched()) as served:

            async def listener(scope: Any, receive: Any, send: Any) -> None:
                known = {"peer_uris": ["urn:postroom:agent:agt_1"]}
                await served({**scope, "extensions": {"postroom": known}}, receive, send)

            async with over_http(listener) as client:  # type: ignore[arg-type]
                names = [tool.name for tool in (await client.list_tools()).tools]
                assert "create_token" not in names
                await client.call_tool("list_mail", {})

    asyncio.run(ask())
    assert incoming[0].peer_uris == ["urn:postroom:agent:agt_1"]
    assert incoming[0].peer == "127.0.0.1"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"])
def test_only_post_is_served(registry: Registry, method: str) -> None:
    async def ask() -> httpx2.Response:
        async with serving(registry) as served:
            return await asked(served, method)

    answer = asyncio.run(ask())
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_other_paths_go_on_to_the_application(registry: Registry) -> None:
    async def ask() -> list[str]:
        async with serving(registry) as served:
            paths = ("/", "/mcp/", "/v1/mail", "/mcpx")
            return [(await asked(served, path=f"http://host{path}")).text for path in paths]

    assert asyncio.run(ask()) == ["/", "/mcp/", "/v1/mail", "/mcpx"]


def test_without_the_library_it_says_what_to_install(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(IMPORT, missing)

    async def ask() -> list[httpx2.Response]:
        async with serving(registry) as served:
            return [await asked(served), await asked(served)]

    for answer in asyncio.run(ask()):
        assert answer.status_code == 501
        assert answer.json()["code"] == 12
        assert "postroom[mcp]" in answer.json()["message"]


def test_nothing_is_loaded_before_the_first_request(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []

    def noted(name: str) -> Any:
        loaded.append(name)
        return import_module(name)

    monkeypatch.setattr(IMPORT, noted)

    async def ask() -> list[int]:
        async with serving(registry) as served:
            await asked(served, path="http://host/other")
            before = len(loaded)
            await asked(served)
            return [before, len(loaded)]

    assert asyncio.run(ask()) == [0, 1]


def test_a_stop_lets_the_call_in_progress_end_and_refuses_the_next(
    room: Room, waiting: Callable[[], Registry]
) -> None:
    alfa = room.agent("alfa")

    async def ask() -> tuple[Any, int]:
        door = waiting()
        served = Endpoint(elsewhere, door, CONTRACT)
        running = asyncio.create_task(served.run())
        async with over_http(served, alfa.id) as client:
            # The client checks what comes back, so it must know the tools before the stop.
            await client.list_tools()
            call = asyncio.create_task(client.call_tool("wait_for_mail", {}))
            wakeups: Any = door.office.watches
            await until(lambda: len(wakeups) > 0)
            running.cancel()
            await until(lambda: served._sessions is None)
            status = (await asked(served)).status_code
            await room.begin("SendMail", to=alfa.id, body="in time")
            wakeups.arrived(frozenset(range(9)))
            result = await call
        with suppress(asyncio.CancelledError):
            await running
        return result, status

    result, status = asyncio.run(ask())
    assert result.structured_content["mail"][0]["body"] == "in time"
    assert status == 503
