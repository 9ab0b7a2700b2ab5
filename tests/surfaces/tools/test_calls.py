"""Calling tools: what comes back fits what was declared, and what is wrong is said."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from postroom.rpc.methods import Registry
from postroom.surfaces.tools.catalog import Catalog
from tests.room import CONTRACT, Room

from .clients import ERAS, check, in_memory, named, text_of, until

CATALOG = Catalog(CONTRACT, CONTRACT.specs)
TOOLS = CATALOG.offered(named(""))
INVALID_PARAMS = -32602


def called(door: Any, tool: str, arguments: Any, agent: str = "", era: str = "auto") -> Any:
    async def ask() -> Any:
        async with in_memory(door, agent, era) as client:
            return await client.call_tool(tool, arguments)

    result = asyncio.run(ask())
    check(TOOLS[tool].output_schema, result.structured_content)
    return result


@pytest.mark.parametrize("era", ERAS)
def test_a_mail_travels_by_tools_alone(room: Room, era: str) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    sent = called(room.registry, "send_mail", {"to": "bravo", "body": "hello"}, alfa.id, era)
    assert not sent.is_error
    listed = called(room.registry, "list_mail", {}, bravo.id, era)
    assert listed.structured_content["mail"] == [sent.structured_content["mail"]]
    read = called(room.registry, "read_mail", {"limit": 1}, bravo.id, era).structured_content
    assert read["remaining"] == 0
    assert read["mail"][0]["body"] == "hello"
    assert read["mail"][0]["claimedAt"]
    assert "replyTo" not in read["mail"][0]


# There is nothing to get before something was attached.
@pytest.mark.parametrize("name", [name for name in TOOLS if name != "get_attachment"])
def test_every_answer_and_every_refusal_fits_its_schema(
    room: Room, waiting: Callable[[], Registry], name: str
) -> None:
    room.agent("bravo")
    room.send(room.agent("alfa").id, "operator")
    arguments = _arguments(room)[name]

    async def ask() -> list[Any]:
        async with in_memory(waiting()) as client:
            done = await client.call_tool(name, arguments)
            return [done, await client.call_tool(name, {"nothing": 1})]

    done, wrong = asyncio.run(ask())
    assert (done.is_error, wrong.is_error) == (False, True), text_of(done)
    for result in (done, wrong):
        check(TOOLS[name].output_schema, result.structured_content)


def _arguments(room: Room) -> dict[str, dict[str, Any]]:
    alfa, bravo = (agent.id for agent in room.call("ListAgents").agents)
    return {
        "send_mail": {"to": alfa, "body": "b"},
        "list_mail": {"id": bravo, "pagination": {"limit": 5}, "direction": "MAIL_DIRECTION_SENT"},
        "read_mail": {},
        "wait_for_mail": {"timeoutSeconds": 1},
        "raise_review_activity": {"agentIds": [alfa], "review": "r", "file": "f"},
        "list_mailbox_reads": {"id": alfa},
        "create_agent": {"name": "charlie", "workflow": "main"},
        "get_agent": {"id": alfa},
        "list_agents": {},
        "list_workflows": {},
        "set_agent_state": {"id": alfa, "state": "AGENT_STATE_DORMANT"},
        "archive_agent": {"id": bravo},
        "create_token": {"agentId": alfa},
        "list_tokens": {},
        "revoke_token": {"keyId": room.call("CreateToken", agent_id=bravo).key_id},
        **_message_arguments(room),
    }


def _message_arguments(room: Room) -> dict[str, dict[str, Any]]:
    room.agent("dora")
    room.agent("emil")
    project, sent = {"project_key": "main"}, {"subject": "s", "body_md": "b"}
    dora, emil = {"agent_name": "dora", **project}, {"agent_name": "emil", **project}
    for agent in (dora, emil):
        room.call("SetContactPolicy", **agent, policy="open")
    answer = room.call("SendMessage", **project, sender_name="dora", to=["emil"], **sent)
    message = {"message_id": answer.deliveries[0].payload.id}
    room.call("RequestContact", **project, from_agent="emil", to_agent="dora")
    return {
        "ensure_project": {"project_key": "new"},
        "register_agent": {"name": "frida", **project},
        "send_message": {"sender_name": "dora", "to": ["emil"], **sent, **project},
        "reply_message": {"sender_name": "emil", "body_md": "r", **message, **project},
        "fetch_inbox": {**emil, "include_bodies": True},
        "fetch_topic": {**dora, "topic": "t"},
        "get_message": {**message, **project},
        "list_threads": dora,
        "fetch_thread": {"thread_id": message["message_id"], **project},
        "mark_message_read": {**emil, **message},
        "acknowledge_message": {**emil, **message},
        "search_messages": {**dora, "query": "b"},
        "request_contact": {"from_agent": "dora", "to_agent": "emil", **project},
        "respond_contact": {"to_agent": "dora", "from_agent": "emil", "accept": True, **project},
        "list_contacts": dora,
        "set_contact_policy": {**dora, "policy": "open"},
        "macro_contact_handshake": {"requester": "dora", "target": "emil", **project},
        "list_project_agents": project,
    }


def test_waiting_returns_as_soon_as_mail_comes(room: Room, waiting: Callable[[], Registry]) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")

    async def ask() -> Any:
        door = waiting()
        async with in_memory(door, alfa.id) as sender, in_memory(door, bravo.id) as waiter:
            wait = asyncio.create_task(waiter.call_tool("wait_for_mail", {}))
            wakeups: Any = door.office.watches
            await until(lambda: len(wakeups) > 0)
            await sender.call_tool("send_mail", {"to": "bravo", "body": "wake up"})
            wakeups.arrived(frozenset(range(9)))
            return await wait

    assert asyncio.run(ask()).structured_content["mail"][0]["body"] == "wake up"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"to": "alfa", "body": "b", "subject": "s"}, "subject"),
        ({"to": "alfa", "body": "b", "kind": "MAIL_KIND_EXCHANGE_CAPPED"}, "kind"),
        ({"to": "alfa", "body": "b", "fromAgentId": "operator"}, "fromAgentId"),
        ({"to": 5, "body": "b"}, "to"),
        ({"to": "alfa", "body": ["b"]}, "body"),
        ({"to": "alfa"}, "body"),
        ({"body": "b"}, "to"),
        ({"to": "alfa", "body": "b" * 10_001}, "body"),
        ({"to": "alfa", "body": "b", "replyTo": "x", "reply_to": "y"}, "reply_to"),
    ],
)
def test_wrong_arguments_are_a_result_that_names_the_field(
    room: Room, arguments: Any, field: str
) -> None:
    room.agent("alfa")
    result = called(room.registry, "send_mail", arguments)
    assert result.is_error
    told = result.structured_content
    assert told["code"] == "invalid_argument"
    assert field in [violation["field"] for violation in told["violations"]]
    assert all(violation["description"] for violation in told["violations"])
    assert text_of(result).startswith(f"invalid_argument ({told['reason']}): {field}: ")
    assert room.received(room.call("ListAgents").agents[0].id) == []


def test_half_a_surrogate_pair_is_refused_in_words(room: Room) -> None:
    room.agent("alfa")
    result = called(room.registry, "send_mail", {"to": "alfa", "body": "\ud800"}, era="auto")
    assert result.is_error
    assert "surrogate" in text_of(result)


def test_both_spellings_of_a_name_are_taken(room: Room) -> None:
    alfa = room.agent("alfa")
    first = room.send("", alfa.id)
    for name in ("replyTo", "reply_to"):
        arguments = {"to": "operator", "body": "b", name: first.id}
        sent = called(room.registry, "send_mail", arguments, alfa.id)
        assert sent.structured_content["mail"]["replyTo"] == first.id


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", ["no_such_tool", "watch_mail", "SendMail", "get_agent"])
def test_a_tool_that_the_caller_does_not_have_is_a_protocol_error(
    room: Room, era: str, name: str
) -> None:
    alfa = room.agent("alfa")

    async def ask() -> MCPError:
        async with in_memory(room.registry, alfa.id, era) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool(name, {})
        return caught.value

    error = asyncio.run(ask())
    assert error.code == INVALID_PARAMS
    assert name in error.message


@pytest.mark.parametrize("era", ERAS)
def test_a_refusal_says_code_reason_and_what_it_is_about(room: Room, era: str) -> None:
    for workflow in ("one", "two"):
        room.agent("twin", workflow)
    result = called(room.registry, "send_mail", {"to": "twin", "body": "b"}, era=era)
    told = result.structured_content
    assert result.is_error
    assert (told["code"], told["reason"]) == ("invalid_argument", "NAME_AMBIGUOUS")
    assert [resource["type"] for resource in told["resources"]] == ["agent", "agent"]
    for part in (told["message"], "NAME_AMBIGUOUS", *(one["name"] for one in told["resources"])):
        assert part in text_of(result)


def test_a_limit_says_its_figure(limited: Callable[..., Room]) -> None:
    small = limited(mailbox=1)
    small.send("", small.agent("alfa").id)
    told = called(small.registry, "send_mail", {"to": "alfa", "body": "b"}).structured_content
    assert (told["code"], told["facts"]) == ("resource_exhausted", {"limit": "1"})
    assert told["quota"]["description"]


def test_an_unknown_caller_and_a_bad_token_are_results(room: Room) -> None:
    result = called(room.registry, "list_mail", {}, "agt_nobody")
    assert result.structured_content["code"] == "unauthenticated"
    assert "POSTROOM_AGENT_ID" in text_of(result)


def test_an_internal_error_tells_an_id_and_nothing_else() -> None:
    class Broken(Registry):
        def __init__(self) -> None:
            self._methods = {}

        @property
        def specs(self) -> Any:
            return CONTRACT.specs

        async def call(self, *_: Any) -> Any:
            raise KeyError("secret of the store")

    result = called(Broken(), "list_agents", {})
    assert result.is_error
    assert result.structured_content["code"] == "internal"
    assert "secret" not in text_of(result)
    assert "secret" not in str(result.structured_content)
