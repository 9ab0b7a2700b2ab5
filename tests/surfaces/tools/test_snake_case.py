"""Tools of a service whose fields are spelled as in the proto: schemas, answers, refusals."""

import asyncio
import json
from typing import Any

import pytest

from postroom.errors import Code, Refusal, RequestTooLarge
from postroom.rpc.methods import Registry
from postroom.surfaces.tools.arguments import request_of
from postroom.surfaces.tools.catalog import Catalog
from postroom.surfaces.tools.results import refused
from postroom.surfaces.tools.spelling import CAMEL, SNAKE
from tests.room import CONTRACT, Room
from tests.rpc.scripted import contract

from .clients import check, fits, in_memory, named, text_of

TOOLS = Catalog(CONTRACT, CONTRACT.specs).offered(named(""))
SCRIPTED = contract()
STAMP = SCRIPTED.specs[0]
LETTER = Catalog(SCRIPTED, SCRIPTED.specs).offered(named(""))["stamp_letter"]


def keys(value: Any) -> set[str]:
    """Every name in a schema or an answer."""
    if isinstance(value, list):
        return {name for item in value for name in keys(item)}
    if not isinstance(value, dict):
        return set()
    return set(value) | {name for item in value.values() for name in keys(item)}


def properties(schema: Any) -> set[str]:
    """Every name of a field in a schema."""
    if isinstance(schema, list):
        return {name for item in schema for name in properties(item)}
    if not isinstance(schema, dict):
        return set()
    own = schema.get("properties", {})
    names = set(own) if isinstance(own, dict) else set()
    return names | {name for item in schema.values() for name in properties(item)}


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_a_tool_has_one_spelling_in_all_of_its_schemas(tool: Any) -> None:
    names = properties(tool.input_schema) | properties(tool.output_schema)
    if tool.spec.spells_snake_case:
        assert all(name == name.lower() for name in names)
    else:
        assert not any("_" in name for name in names)


def test_both_spellings_are_taken_and_one_is_answered(room: Room) -> None:
    for name in ("alfa", "bravo"):
        room.agent(name)
    room.call("SetContactPolicy", project_key="main", agent_name="bravo", policy="open")

    async def ask() -> list[Any]:
        async with in_memory(room.registry) as client:
            sent = {"subject": "s", "to": ["bravo"]}
            first = {"project_key": "main", "sender_name": "alfa", "body_md": "b", **sent}
            second = {"projectKey": "main", "senderName": "alfa", "bodyMd": "b", **sent}
            return [await client.call_tool("send_message", one) for one in (first, second)]

    for result in asyncio.run(ask()):
        assert not result.is_error, text_of(result)
        told = result.structured_content
        assert {"body_md", "thread_id", "created_at"} <= keys(told)
        assert all(name == name.lower() for name in keys(told))
        check(TOOLS["send_message"].output_schema, told)
        assert "broadcast_skipped: none" in text_of(result)


def test_wrong_fields_are_named_in_snake_case(room: Room) -> None:
    async def ask() -> Any:
        async with in_memory(room.registry) as client:
            return await client.call_tool("send_message", {"project_key": "main"})

    told = asyncio.run(ask()).structured_content
    assert {one["field"] for one in told["violations"]} == {"sender_name", "subject"}


def test_facts_of_a_refusal_are_data_of_an_error_too() -> None:
    refusal = Refusal("no", Code.FAILED_PRECONDITION, "CONTACT_REQUIRED")
    refusal.metadata, refusal.retry_after = {"auto_contact_requested": "bravo"}, 1.5
    told = refused(refusal, SNAKE).value
    data = {"auto_contact_requested": "bravo"}
    assert told["error"] == {"type": "CONTACT_REQUIRED", "message": "no", "data": data}
    assert told["facts"] == data
    assert told["retry_after_seconds"] == 1.5
    assert refused(refusal, CAMEL).value["retryAfterSeconds"] == 1.5
    check(TOOLS["send_message"].output_schema, told)


def test_words_and_bytes_stand_in_the_schema() -> None:
    schema = LETTER.input_schema
    fields = schema["properties"]
    assert fields["mood"]["enum"] == ["", "calm", "cross"]
    assert fields["moods"]["items"]["enum"] == fields["tone"]["enum"] == ["calm", "cross"]
    assert fields["note"]["maxLength"] == 4
    assert fields["note"]["description"] == "At most 4 bytes of UTF-8."
    assert fields["raw"]["maxLength"] == 4
    assert fields["raw"]["description"] == "At most 3 bytes."
    fine = {"title": "x", "first": {}, "tags": ["x"]}
    assert fits(schema, {**fine, "mood": "calm", "raw": "YWJj"})
    for wrong in ({"mood": "happy"}, {"moods": [""]}, {"note": "abcde"}, {"raw": "YWJjZA=="}):
        assert not fits(schema, fine | wrong)


def test_arguments_may_be_as_large_as_their_method_takes() -> None:
    most = STAMP.max_request_bytes
    room = most - len(json.dumps({"title": ""}, separators=(",", ":")))
    # Other letters than ASCII count as what they are in UTF-8, not as their escapes.
    for text in ("x" * room, "é" * (room // 2)):
        assert request_of(STAMP, {"title": text}).title == text  # type: ignore[attr-defined]
    for text in ("x" * (room + 1), "é" * (room // 2 + 1)):
        with pytest.raises(RequestTooLarge) as refusal:
            request_of(STAMP, {"title": text})
        assert f"{most:,}" in refusal.value.message


def test_a_tool_that_takes_less_refuses_what_another_takes(registry: Registry) -> None:
    async def ask() -> Any:
        async with in_memory(registry) as client:
            return await client.call_tool("ensure_project", {"project_key": "x" * (5 << 20)})

    told = asyncio.run(ask()).structured_content
    assert (told["code"], told["reason"]) == ("resource_exhausted", "REQUEST_TOO_LARGE")
    assert TOOLS["send_message"].spec.max_request_bytes == 32 << 20
