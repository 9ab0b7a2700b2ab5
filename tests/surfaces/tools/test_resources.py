"""Resources: each is a call of a method, with its checks and its record."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from postroom.rpc.contract import Resource
from postroom.rpc.protojson import JsonInvalid
from postroom.surfaces.tools.resources import Resources
from tests.room import CONTRACT, Room
from tests.rpc.scripted import contract

from .clients import ERAS, in_memory

SPECS = {spec.name: spec for spec in CONTRACT.specs}
FOUND = Resources(CONTRACT.specs)
STAMP = contract().specs[0]
INVALID_PARAMS = -32602


def fields(uri: str) -> dict[str, Any]:
    """What an address fills in the request of its method."""
    found = FOUND.find(uri)
    assert found is not None
    return {field.name: value for field, value in found[1].ListFields()}


@pytest.mark.parametrize(
    ("uri", "filled"),
    [
        ("resource://agents/main", {"project_key": "main"}),
        ("resource://agents/%2Fabs%2Fpath%2Fbackend", {"project_key": "/abs/path/backend"}),
        ("resource://agents//abs/path/backend", {"project_key": "/abs/path/backend"}),
        ("resource://agents/C:\\work", {"project_key": "C:\\work"}),
        ("resource://agents/a?b=c#d", {"project_key": "a?b=c#d"}),
        ("resource://agents/50%", {"project_key": "50%"}),
        ("resource://agents/%C3%A9é", {"project_key": "éé"}),
        ("resource://agents/", {}),
        ("resource://message/msg_1", {"message_id": "msg_1"}),
        ("resource://thread/t-1", {"thread_id": "t-1"}),
        ("resource://inbox/alfa", {"agent_name": "alfa"}),
        ("resource://inbox/a%20b?", {"agent_name": "a b"}),
        (
            "resource://inbox/alfa?project_key=%2Fa&include_bodies=true",
            {"agent_name": "alfa", "project_key": "/a", "include_bodies": True},
        ),
    ],
)
def test_an_address_fills_the_request(uri: str, filled: dict[str, Any]) -> None:
    assert fields(uri) == filled


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("resource://agents/%ff", "project_key"),
        ("resource://inbox/alfa?project_key=%ff", "project_key"),
        ("resource://inbox/alfa?%ff=main", "query"),
        ("resource://inbox/alfa?limit=5", "limit"),
        ("resource://inbox/alfa?include_bodies=maybe", "include_bodies"),
    ],
)
def test_what_is_wrong_in_an_address_is_named(uri: str, path: str) -> None:
    with pytest.raises(JsonInvalid) as refusal:
        FOUND.find(uri)
    assert refusal.value.violations[0].field == path
    assert "codec" not in refusal.value.message


@pytest.mark.parametrize("uri", ["", "resource://agents", "resource://nothing/x", "mail://x"])
def test_any_other_address_is_none(uri: str) -> None:
    assert FOUND.find(uri) is None


@pytest.mark.parametrize(
    ("uri", "filled"),
    [
        ("post://letters", {}),
        ("post://{title}/x", {}),
        ("post://letters/{title}/{mood}", {}),
        ("post://letters/{nothing}", {}),
        ("post://letters/{id}", {"id": "count"}),
        ("post://letters/{title}{?tags}", {}),
    ],
)
def test_a_template_that_cannot_work_is_refused_at_the_start(
    uri: str, filled: dict[str, str]
) -> None:
    with pytest.raises(ValueError, match=STAMP.full_name):
        Resources([replace(STAMP, resource=Resource(uri, filled))])


@pytest.mark.parametrize("era", ERAS)
def test_a_resource_is_read_in_both_forms_of_the_answer(room: Room, era: str) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    sent = {"project_key": "main", "sender_name": "alfa", "to": ["bravo"], "subject": "s"}
    room.call("SetContactPolicy", project_key="main", agent_name="bravo", policy="open")
    answer = room.call("SendMessage", alfa.id, **sent, body_md="look\u202ehere")
    uri = f"resource://message/{answer.deliveries[0].payload.id}"

    async def ask() -> Any:
        async with in_memory(room.registry, bravo.id, era) as client:
            templates = (await client.list_resource_templates()).resource_templates
            assert (await client.list_resources()).resources == []
            return templates, (await client.read_resource(uri)).contents

    templates, (document, text) = asyncio.run(ask())
    assert "resource://message/{id}" in [template.uri_template for template in templates]
    assert all(template.description for template in templates)
    assert (document.mime_type, text.mime_type) == ("application/json", "text/plain")
    assert json.loads(document.text)["message"]["body_md"] == "look\u202ehere"
    assert "\u202e" not in document.text + text.text
    assert "| look" in text.text


def test_a_resource_is_refused_as_its_method_is(room: Room) -> None:
    alfa = room.agent("alfa")

    async def ask(uri: str) -> MCPError:
        async with in_memory(room.registry, alfa.id) as client:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
        return caught.value

    unknown = asyncio.run(ask("resource://message/none"))
    assert unknown.code == INVALID_PARAMS
    assert unknown.data["reason"] == "MESSAGE_NOT_FOUND"
    assert asyncio.run(ask("resource://nothing/x")).code == INVALID_PARAMS
    bad = asyncio.run(ask("resource://inbox/alfa?limit=5"))
    assert bad.data["violations"][0]["field"] == "limit"
    foreign = asyncio.run(ask("resource://inbox/bravo?project_key=main"))
    assert foreign.data["code"] == "permission_denied"


def test_a_look_by_a_resource_is_recorded_as_a_look_by_its_method_is(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")

    async def look(as_: str) -> str:
        async with in_memory(room.registry, as_) as client:
            try:
                await client.read_resource("resource://inbox/alfa?project_key=main")
            except MCPError as refused:
                return str(refused.data["reason"])
        return "shown"

    outcomes = [asyncio.run(look(as_)) for as_ in (alfa.id, "operator", bravo.id)]
    assert outcomes == ["shown", "shown", "IDENTITY_MISMATCH"]
    denied, looked = room.call("ListMailboxReads", id=alfa.id).reads
    assert (looked.reader_agent_id, looked.reason) == ("operator", "")
    assert (denied.reader_agent_id, denied.reason) == (bravo.id, "IDENTITY_MISMATCH")
    assert looked.method == denied.method == "agent.v1.MessageService/FetchInbox"
