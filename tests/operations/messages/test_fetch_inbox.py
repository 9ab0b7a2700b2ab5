"""FetchInbox: filters, and whose inbox is meant."""

from functools import partial
from typing import Any

import pytest

from agent.v1.agent_pb2 import Agent
from postroom.errors import Code
from tests.doubles import ManualClock
from tests.operations.messages.world import KEY, Project
from tests.room import Room, refused


@pytest.fixture
def pair(project: Project) -> list[Agent]:
    """Two open agents."""
    return project.agents("alfa", "bravo")


def test_the_newest_is_first_and_filters_hold_together(project: Project, pair: list[Agent]) -> None:
    assert pair
    fields: tuple[dict[str, Any], ...]
    fields = ({"topic": "t"}, {"importance": "high"}, {"topic": "t", "importance": "urgent"}, {})
    one, two, three, four = (project.message("alfa", "bravo", **each).id for each in fields)
    assert project.ids("bravo") == [four, three, two, one]
    assert project.ids("bravo", topic="t") == [three, one]
    assert project.ids("bravo", topic="T") == []
    assert project.ids("bravo", urgent_only=True) == [three, two]
    assert project.ids("bravo", urgent_only=True, topic="t") == [three]
    project.call("MarkMessageRead", agent_name="bravo", message_id=three)
    assert project.ids("bravo", urgent_only=True, unread_only=True) == [two]
    assert project.ids("bravo", topic="t", unread_only=True) == [one]


def test_the_order_is_the_sequence_and_never_the_clock(
    project: Project, pair: list[Agent], clock: ManualClock
) -> None:
    assert pair
    first = project.message("alfa", "bravo").id
    clock.advance(seconds=-30)
    second = project.message("alfa", "bravo").id
    assert project.ids("bravo") == [second, first]


def test_m20_unread_is_what_was_not_read(project: Project, pair: list[Agent]) -> None:
    one, two, three = (project.message("alfa", "bravo").id for _ in range(3))
    project.call("AcknowledgeMessage", agent_name="bravo", message_id=three)
    project.call("MarkMessageRead", agent_name="bravo", message_id=two)
    assert project.ids("bravo", unread_only=True) == [three, one]
    assert project.ids("bravo") == [three, two, one]
    project.room.call("ReadMail", pair[1].id, limit=1)
    assert project.ids("bravo", unread_only=True) == [three]


@pytest.mark.parametrize(
    ("since", "count"),
    [
        ("2026-12-01T09:29:59.999999Z", 2),
        ("2026-12-01T09:30:00Z", 1),
        ("2026-12-01t09:30:00z", 1),
        ("2026-12-01T10:30:00+01:00", 1),
        ("2026-12-01T00:00:00.000000-09:30", 1),
        ("2026-12-01T09:30:00.9999999Z", 1),
        ("2026-12-01T09:30:01Z", 0),
        ("0001-01-01T00:00:00+23:59", 2),
        ("9999-12-31T23:59:59-23:59", 0),
    ],
)
def test_since_is_strictly_later_than_an_instant(
    project: Project, pair: list[Agent], clock: ManualClock, since: str, count: int
) -> None:
    assert pair
    project.send("alfa", "bravo")
    clock.advance(seconds=1)
    project.send("alfa", "bravo")
    assert len(project.ids("bravo", since_ts=since)) == count


@pytest.mark.parametrize(
    "since",
    [
        "2026-12-01",
        "2026-12-01T09:30:00",
        "2026-12-01 09:30:00Z",
        "20261201T093000Z",
        "2026-W49-2T09:30:00Z",
        "2026-12-01T09:30Z",
        "2026-12-01T09:30:00,5Z",
        "2026-12-01T09:30:00+0100",
        "2026-12-01T09:30:00+24:00",
        "2026-13-01T09:30:00Z",
        "2026-12-01T24:00:00Z",
        "0000-01-01T00:00:00Z",
        "1796117400",
        " ",
        "2026-12-01T09:30:00Z ",
        "\u0662026-12-01T09:30:00Z",
    ],
)
def test_since_needs_an_instant_with_its_offset(
    project: Project, pair: list[Agent], since: str
) -> None:
    assert pair
    refusal = project.refusal(lambda: project.ids("bravo", since_ts=since))
    assert refusal.code is Code.INVALID_ARGUMENT
    assert [violation.field for violation in refusal.violations] == ["since_ts"]


def test_bodies_come_only_when_asked_for(project: Project, pair: list[Agent]) -> None:
    assert pair
    project.send("alfa", "bravo")
    assert [one.body_md for one in project.inbox("bravo", include_bodies=False)] == [""]
    assert [one.body_md for one in project.inbox("bravo", include_bodies=True)] == ["see below"]


def test_a_topic_that_none_could_have_is_refused(project: Project, pair: list[Agent]) -> None:
    assert pair
    refusal = project.refusal(lambda: project.ids("bravo", topic="a b"))
    assert [violation.field for violation in refusal.violations] == ["topic"]


def test_m22_an_unknown_agent_is_an_error_and_never_an_empty_inbox(
    project: Project, pair: list[Agent]
) -> None:
    assert pair
    for name in ("nobody", "Bravo", "bravo "):
        refusal = project.refusal(partial(project.inbox, name))
        assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "AGENT_NOT_FOUND")
    assert project.inbox("bravo") == []


def test_an_agents_own_project_and_id_need_not_be_told(
    project: Project, pair: list[Agent], room: Room
) -> None:
    alfa, bravo = pair
    sent = project.message("alfa", "bravo")
    for name in ("bravo", bravo.id):
        answer = room.call("FetchInbox", bravo.id, agent_name=name)
        assert [one.id for one in answer.messages] == [sent.id]
        refusal = refused(partial(room.call, "FetchInbox", alfa.id, agent_name=name))
        assert refusal.reason == "IDENTITY_MISMATCH"
        for caller in ("", "operator"):
            answer = room.call("FetchInbox", caller, agent_name=name)
            assert [one.id for one in answer.messages] == [sent.id]


def test_without_a_project_a_name_must_be_one_agents(
    project: Project, pair: list[Agent], room: Room
) -> None:
    assert pair
    Project(room, "/other").register("bravo")
    fetch = partial(room.call, "FetchInbox", agent_name="bravo")
    assert project.refusal(fetch).reason == "NAME_AMBIGUOUS"
    fetch = partial(room.call, "FetchInbox", agent_name="operator")
    assert project.refusal(fetch).code is Code.INVALID_ARGUMENT
    fetch = partial(room.call, "FetchInbox", agent_name="nobody")
    assert project.refusal(fetch).reason == "AGENT_NOT_FOUND"


def test_the_id_of_an_agent_that_has_ended_never_means_its_successor(
    project: Project, pair: list[Agent], room: Room
) -> None:
    bravo = pair[1]
    project.archive(bravo)
    project.register("bravo")
    for caller in ("", "operator"):
        fetch = partial(room.call, "FetchInbox", caller, agent_name=bravo.id)
        assert project.refusal(fetch).reason == "AGENT_NOT_FOUND"
    assert room.call("FetchInbox", project_key=KEY, agent_name="bravo").messages == []
