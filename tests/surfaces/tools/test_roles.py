"""A caller's role is asked of the server, and not at every call."""

import asyncio
from typing import Any

import pytest

from postroom.errors import Code, Refusal
from postroom.rpc.door import Incoming
from postroom.surfaces.tools.catalog import Catalog
from postroom.surfaces.tools.roles import SECONDS, Roles
from tests.room import CONTRACT, Room

from .clients import in_memory, named

CATALOG = Catalog(CONTRACT, CONTRACT.specs)


class _Asked:
    """A door that tells a role and counts; another agent has another."""

    specs = CONTRACT.specs

    def __init__(self) -> None:
        self.roles: dict[str, str] = {}
        self.asked: list[str] = []
        self.refusal: Exception | None = None

    async def call(self, spec: Any, request: Any, incoming: Incoming, outgoing: Any) -> Any:
        del outgoing
        assert request == spec.request_class()
        who = str(incoming.metadata[0][1])
        self.asked.append(who)
        if self.refusal:
            raise self.refusal
        return spec.response_class(agent={"role": self.roles.get(who, "")})


class _Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_role_is_believed_for_a_minute_and_no_longer() -> None:
    door, clock = _Asked(), _Clock()
    roles = Roles(door, clock)  # type: ignore[arg-type]
    door.roles["agt_1"] = "reviewer"

    async def ask() -> list[str]:
        found = [await roles.of(named("agt_1"))]
        door.roles["agt_1"] = "cook"
        clock.now += SECONDS - 1
        found += [await roles.of(named("agt_1")), await roles.of(named("agt_2"))]
        clock.now += 1
        return [*found, await roles.of(named("agt_1"))]

    assert asyncio.run(ask()) == ["reviewer", "reviewer", "", "cook"]
    assert door.asked == ["agt_1", "agt_2", "agt_1"]


@pytest.mark.parametrize(
    "refusal", [Refusal("no", Code.UNAVAILABLE, "NO"), RuntimeError("broken")], ids=repr
)
def test_a_role_that_cannot_be_known_now_is_asked_again(refusal: Exception) -> None:
    door = _Asked()
    roles = Roles(door)  # type: ignore[arg-type]
    door.refusal = refusal
    with pytest.raises(Refusal):
        asyncio.run(roles.of(named("agt_1")))
    door.refusal, door.roles["agt_1"] = None, "reviewer"
    assert asyncio.run(roles.of(named("agt_1"))) == "reviewer"


def test_nobody_asks_for_a_tool_that_every_agent_has() -> None:
    assert CATALOG.is_for_all("send_mail")
    assert not CATALOG.is_for_all("search_messages")
    assert not CATALOG.is_for_all("create_agent")


def test_an_agent_that_proves_itself_by_a_token_alone_has_its_roles_tools(room: Room) -> None:
    boss = room.agent("boss", role="orchestrator")
    token = room.call("CreateToken", agent_id=boss.id).token

    async def ask() -> tuple[set[str], Any]:
        from mcp.client.client import Client

        from postroom.surfaces.tools.server import make_server

        caller = Incoming((("authorization", f"Bearer {token}"),))
        async with Client(make_server(room.registry, CONTRACT, caller=caller)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            arguments = {"project_key": "main", "agent_name": "boss", "query": "x"}
            return names, await client.call_tool("search_messages", arguments)

    names, result = asyncio.run(ask())
    assert "search_messages" in names
    assert "create_agent" not in names
    assert not result.is_error


def test_whose_token_proves_nothing_is_told_so_and_not_that_there_is_no_such_tool(
    room: Room,
) -> None:
    boss = room.agent("boss", role="orchestrator")
    made = room.call("CreateToken", agent_id=boss.id)
    room.call("RevokeToken", key_id=made.key_id)

    async def ask() -> tuple[set[str], list[Any]]:
        from mcp.client.client import Client

        from postroom.surfaces.tools.server import make_server

        caller = Incoming((("authorization", f"Bearer {made.token}"),))
        async with Client(make_server(room.registry, CONTRACT, caller=caller)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            calls = [await client.call_tool(name, {}) for name in ("search_messages", "list_mail")]
            return names, calls

    names, results = asyncio.run(ask())
    # What everybody has can be listed still, so that a client can start.
    assert {"send_mail", "read_mail"} <= names
    assert [result.is_error for result in results] == [True, True]
    assert [result.structured_content["reason"] for result in results] == ["TOKEN_INVALID"] * 2


def test_an_implementer_cannot_call_what_it_is_not_offered(room: Room) -> None:
    alfa = room.agent("alfa", role="implementer")

    async def ask() -> str:
        async with in_memory(room.registry, alfa.id) as client:
            with pytest.raises(Exception, match="search_messages") as caught:
                await client.call_tool("search_messages", {})
        return str(caught.value)

    assert "tools/list" in asyncio.run(ask())
