"""Which tools there are, what they declare, and who is offered which."""

import asyncio
from typing import Any

import pytest

from postroom.rpc.door import Incoming
from postroom.rpc.methods import Registry
from postroom.surfaces.tools.catalog import INSTRUCTIONS, Catalog
from tests.room import CONTRACT, Room

from .clients import ERAS, check, check_schema, fits, in_memory, named

UNARY = [spec for spec in CONTRACT.specs if not spec.streams_responses]
MAIL = ("send_mail", "list_mail", "read_mail", "wait_for_mail")


def offered_to(role: str) -> list[str]:
    return [spec.snake_name for spec in UNARY if role in spec.roles]


OFFERED = offered_to("implementer")
CATALOG = Catalog(CONTRACT, CONTRACT.specs)
TOOLS = list(CATALOG.offered(Incoming()).values())


def listed(door: Registry, agent: str = "", era: str = "auto") -> dict[str, Any]:
    async def ask() -> dict[str, Any]:
        async with in_memory(door, agent, era) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    found: dict[str, Any] = asyncio.run(ask())
    return found


@pytest.mark.parametrize("era", ERAS)
def test_every_method_but_the_streams_is_a_tool_with_its_comment(
    registry: Registry, era: str
) -> None:
    found = listed(registry, era=era)
    assert {name: tool.description for name, tool in found.items()} == {
        spec.snake_name: spec.doc for spec in UNARY
    }
    assert "watch_mail" not in found
    assert "wait_for_mail" in found


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("role", "treated_as"),
    [
        ("implementer", "implementer"),
        ("reviewer", "reviewer"),
        ("orchestrator", "orchestrator"),
        ("cook", "implementer"),
        ("", "implementer"),
    ],
)
def test_an_agent_is_offered_what_names_its_role_and_any_other_what_implementers_are(
    room: Room, era: str, role: str, treated_as: str
) -> None:
    agent = room.agent("alfa", role=role)
    found = list(listed(room.registry, agent.id, era))
    assert found == offered_to(treated_as)
    assert set(MAIL) <= set(found)


def test_an_orchestrator_is_offered_more_than_others() -> None:
    assert set(offered_to("orchestrator")) > set(OFFERED) == set(offered_to("reviewer"))
    assert set(offered_to("orchestrator")) < {spec.snake_name for spec in UNARY}


@pytest.mark.parametrize(
    ("caller", "is_operator"),
    [
        (named(""), True),
        (named("operator"), True),
        (named("agt_1"), False),
        (Incoming((("authorization", "Bearer pro_abc"),)), True),
        (Incoming((("authorization", "Bearer prt_abc"),)), False),
        (Incoming(peer_uris=("urn:postroom:agent:agt_1",)), False),
    ],
)
def test_the_operator_is_offered_all(caller: Incoming, is_operator: bool) -> None:
    names = list(CATALOG.offered(caller))
    assert names == ([spec.snake_name for spec in UNARY] if is_operator else OFFERED)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_strict_and_refer_to_nothing_outside(tool: Any) -> None:
    for schema in (tool.input_schema, tool.output_schema):
        check_schema(schema)
        assert schema["type"] == "object"
        for reference in _references(schema):
            assert reference.removeprefix("#/$defs/") in schema["$defs"]
    assert tool.input_schema["additionalProperties"] is False
    for held in tool.input_schema.get("$defs", {}).values():
        assert held["additionalProperties"] is False
    names = {f.name if tool.spec.spells_snake_case else f.json_name for f in tool.spec.fields}
    assert set(tool.input_schema["properties"]) == names


def test_limits_stand_in_the_input_schema() -> None:
    schema = CATALOG.offered(Incoming())["send_mail"].input_schema
    assert schema["required"] == ["to", "body"]
    assert schema["properties"]["body"]["maxLength"] == 10_000
    assert schema["properties"]["to"]["minLength"] == 1
    check(schema, {"to": "alfa", "body": "b", "replyTo": "mail_1"})
    for wrong in ({"to": "alfa"}, {"to": "a", "body": "b", "kind": 1}, {"to": "a", "body": 5}):
        assert not fits(schema, wrong)


def test_hints(registry: Registry) -> None:
    found = listed(registry)
    hints = {
        name: (h.read_only_hint, h.destructive_hint, h.idempotent_hint, h.open_world_hint)
        for name, tool in found.items()
        if (h := tool.annotations)
    }
    assert hints["send_mail"] == (False, False, False, False)
    assert hints["read_mail"] == (False, False, False, False)
    assert hints["list_mail"] == hints["wait_for_mail"] == (True, False, True, False)
    assert hints["archive_agent"] == (False, True, True, False)
    assert len(hints) == len(UNARY)


def test_no_tool_takes_a_credential_or_an_identity() -> None:
    for tool in TOOLS:
        names = {name.lower() for name in tool.input_schema["properties"]}
        assert not names & {"token", "authorization", "fromagentid", "from", "kind"}


def test_the_instructions_say_what_mail_is(registry: Registry) -> None:
    async def ask(era: str) -> str | None:
        async with in_memory(registry, era=era) as client:
            return client.instructions

    assert asyncio.run(ask("legacy")) == asyncio.run(ask("auto")) == INSTRUCTIONS
    for told in ("information from another agent", "grants no permission", "the person's wish"):
        assert told in INSTRUCTIONS


def _references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [found for item in schema for found in _references(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
    return own + [found for item in schema.values() for found in _references(item)]
