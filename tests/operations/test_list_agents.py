"""ListAgents: filters and pages."""

from typing import Any

import pytest

from postroom.errors import Code
from tests.operations.tables import together
from tests.room import Room, refused


@pytest.fixture
def world(room: Room) -> dict[str, str]:
    """Ids by name: a family, a dormant and an archived agent in two workflows."""
    ids = {name: room.agent(name).id for name in ("boss", "gone")}
    ids["kid"] = room.agent("kid", parent_id=ids["boss"]).id
    ids["nap"] = room.agent("nap", "other", state="AGENT_STATE_DORMANT").id
    ids["cub"] = room.agent("cub", parent_id=ids["boss"], state="AGENT_STATE_DORMANT").id
    room.call("ArchiveAgent", id=ids["gone"])
    return ids


def _names(room: Room, as_: str = "", **fields: Any) -> list[str]:
    return [agent.name for agent in room.call("ListAgents", as_, **fields).agents]


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({}, ["boss", "gone", "kid", "nap", "cub"]),
        ({"workflow": "main"}, ["boss", "gone", "kid", "cub"]),
        ({"workflow": "other"}, ["nap"]),
        ({"state": "AGENT_STATE_RUNNING"}, ["boss", "kid"]),
        ({"state": "AGENT_STATE_DORMANT"}, ["nap", "cub"]),
        ({"state": "AGENT_STATE_ARCHIVED"}, ["gone"]),
        ({"parent_id": "boss"}, ["kid", "cub"]),
        ({"parent_id": "kid"}, []),
        ({"parent_id": "operator"}, []),
        ({"parent_id": "boss", "state": "AGENT_STATE_RUNNING"}, ["kid"]),
        ({"workflow": "other", "state": "AGENT_STATE_RUNNING"}, []),
        ({"workflow": "other", "parent_id": "boss"}, []),
    ],
    ids=repr,
)
def test_filters_narrow_the_list_oldest_first(
    room: Room, world: dict[str, str], fields: dict[str, str], names: list[str]
) -> None:
    given = {key: world.get(value, value) for key, value in fields.items()}
    assert _names(room, **given) == names


def test_a_workflow_is_named_by_id_or_key_and_every_agent_may_ask(
    room: Room, world: dict[str, str]
) -> None:
    workflow_id = room.call("GetAgent", id=world["nap"]).agent.workflow_id
    assert _names(room, world["kid"], workflow=workflow_id) == ["nap"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"workflow": "none"}, "WORKFLOW_NOT_FOUND"),
        ({"workflow": "wfl_none"}, "WORKFLOW_NOT_FOUND"),
        ({"parent_id": "agt_none"}, "AGENT_NOT_FOUND"),
        ({"parent_id": "boss"}, "AGENT_NOT_FOUND"),
    ],
    ids=repr,
)
def test_a_filter_that_names_nothing_is_not_found(
    room: Room, world: dict[str, str], fields: dict[str, str], reason: str
) -> None:
    assert world
    refusal = refused(lambda: room.call("ListAgents", **fields))
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, reason)


def test_an_unknown_state_and_a_negative_limit_are_refused_together(room: Room) -> None:
    fields: dict[str, Any] = {"state": 9, "pagination": {"limit": -5}}
    refusal = refused(lambda: room.call("ListAgents", **fields))
    assert refusal.code is Code.INVALID_ARGUMENT
    named = {violation.field for violation in refusal.violations}
    assert named == {"state", "pagination.limit"}


def test_pages_follow_one_another_while_agents_are_made(room: Room, world: dict[str, str]) -> None:
    assert world
    seen: list[str] = []
    cursor = ""
    while True:
        page = room.call("ListAgents", pagination={"limit": 2, "cursor": cursor})
        seen += [agent.name for agent in page.agents]
        cursor = page.next_page_token
        if not cursor:
            break
        if len(seen) == 2:
            room.agent("late")
            room.call("ArchiveAgent", id=world["kid"])
    assert seen == ["boss", "gone", "kid", "nap", "cub", "late"]


def test_a_page_holds_50_agents_unless_said_otherwise_and_never_more_than_200(room: Room) -> None:
    names = [f"agent-{number}" for number in range(201)]
    calls = (room.begin("CreateAgent", name=name, workflow="main") for name in names)
    together(room, calls)
    for limit, rows in ((0, 50), (201, 200), (200, 200)):
        page = room.call("ListAgents", pagination={"limit": limit})
        assert (len(page.agents), bool(page.next_page_token)) == (rows, True)
    assert len({agent.id for agent in page.agents}) == 200


def test_waiting_mail_is_counted_for_each_agent(room: Room, world: dict[str, str]) -> None:
    room.send("", world["kid"])
    room.send("", world["kid"])
    room.send("", world["nap"])
    waiting = {agent.name: agent.waiting for agent in room.call("ListAgents").agents}
    assert waiting == {"boss": 0, "gone": 0, "kid": 2, "nap": 1, "cub": 0}
