"""SendMessage with broadcast: who gets it, who is passed over, and why."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from agent.v1.message_service_pb2 import SendMessageResponse
from postroom.errors import Code
from tests.doubles import ManualClock
from tests.operations.messages.world import SESSION, Project
from tests.room import Room, refused


def skips(answer: SendMessageResponse) -> list[tuple[str, str]]:
    """Who was passed over, with the reason."""
    return [(skip.agent, skip.reason) for skip in answer.broadcast_skipped]


def reached(answer: SendMessageResponse) -> list[str]:
    """Who got it, as the answer says."""
    return list(answer.deliveries[0].payload.to)


def test_a_broadcast_reaches_every_agent_but_the_sender(project: Project, room: Room) -> None:
    project.agents("alfa", "bravo", "carol")
    Project(room, "/other").agents("delta")
    answer = project.send("alfa", broadcast=True)
    assert (reached(answer), skips(answer), answer.count) == (["bravo", "carol"], [], 1)
    id = answer.deliveries[0].payload.id
    assert project.ids("bravo") == project.ids("carol") == [id]
    assert project.ids("alfa") == []


def test_m01_unapproved_and_retired_agents_are_skipped_and_no_request_is_made(
    project: Project,
) -> None:
    _, _, shy, retired, _ = (
        project.register(name, policy)
        for name, policy in (
            ("alfa", "open"),
            ("bravo", "open"),
            ("shy", "auto"),
            ("retired", "open"),
            ("blocked", "block_all"),
        )
    )
    project.archive(retired)
    before = project.stored()
    answer = project.send("alfa", broadcast=True, auto_contact_if_blocked=True)
    assert reached(answer) == ["bravo"]
    assert skips(answer) == [
        ("blocked", "block_all"),
        ("retired", "retired"),
        ("shy", "contact_required"),
    ]
    assert project.requests(shy) == []
    assert project.stored()["ContactRow"] == before["ContactRow"] == []


def test_m02_the_live_ones_get_it_and_the_rest_are_skips_with_reasons(
    project: Project, clock: ManualClock
) -> None:
    live = [f"live-{number}" for number in range(7)]
    project.agents("alfa", *live)
    silent = [project.register(f"silent-{number:02d}", "auto") for number in range(33)]
    for agent in silent[:10]:
        project.archive(agent)
    clock.advance(days=6)
    answer = project.send("alfa", broadcast=True)
    assert reached(answer) == live
    reasons = dict(skips(answer))
    assert list(reasons) == sorted(reasons)
    assert list(reasons.values()) == ["retired"] * 10 + ["contact_required"] * 23


@pytest.fixture
def every(project: Project, limited: Callable[..., Room]) -> Project:
    """A child as sender, and somebody for each reason to be passed over."""
    project.room = limited(exchange=2, mailbox=1)
    parent, retired, _ = project.agents("parent", "retired", "outsider")
    for name in ("alfa", "blocked", "full", "shy", "spent"):
        project.child(name, parent)
    project.archive(retired)
    spent = project.room.call("ListAgents").agents[-1]
    for _ in range(2):
        project.send("alfa", "spent")
        project.room.call("ReadMail", spent.id)
    project.send("parent", "full")
    project.call("SetContactPolicy", agent_name="blocked", policy="block_all")
    project.call("SetContactPolicy", agent_name="shy", policy="contacts_only")
    return project


EVERY_SKIP = [
    ("blocked", "block_all"),
    ("full", "mailbox_full"),
    ("outsider", "outside_family"),
    ("retired", "retired"),
    ("shy", "contact_required"),
    ("spent", "exchange_capped"),
]


def test_every_reason_is_told_sorted_by_name(every: Project) -> None:
    answer = every.send("alfa", broadcast=True)
    assert reached(answer) == ["parent"]
    assert skips(answer) == EVERY_SKIP
    for name in ("blocked", "outsider", "shy"):
        assert every.ids(name) == []


def test_a_broadcast_that_reaches_nobody_is_refused_with_the_list(every: Project) -> None:
    every.call("SetContactPolicy", agent_name="parent", policy="block_all")
    refusal = every.unsent("alfa", broadcast=True)
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, "NO_RECIPIENTS")
    expected = dict(EVERY_SKIP) | {"parent": "block_all"}
    assert refusal.metadata == expected
    for name, reason in expected.items():
        assert f"{name} ({reason})" in refusal.message


@pytest.mark.parametrize("left", ["contact", "limits"])
def test_it_is_refused_whichever_check_leaves_nobody(every: Project, left: str) -> None:
    policy = "block_all" if left == "contact" else "open"
    for name in ("parent", "full", "spent"):
        every.call("SetContactPolicy", agent_name=name, policy=policy)
    if left == "limits":
        every.send("full", "parent")
    refusal = every.unsent("alfa", broadcast=True)
    assert refusal.reason == "NO_RECIPIENTS"
    assert ("exchange_capped" in refusal.message) == (left == "limits")


def test_a_broadcast_in_a_project_of_one_is_refused(project: Project) -> None:
    project.agents("alfa")
    refusal = project.unsent("alfa", broadcast=True)
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, "NO_RECIPIENTS")
    assert "no other agent" in refusal.message


def test_very_many_skips_fit_into_the_refusal(project: Project) -> None:
    project.agents("alfa")
    project.agents(*(f"{'n' * 60}-{number}" for number in range(60)), policy="block_all")
    refusal = project.unsent("alfa", broadcast=True)
    assert re.search(r"and 4\d more; nothing was sent", refusal.message)
    assert len(refusal.metadata) == 15
    assert len(refusal.message) < 2_000


def test_names_in_cc_and_bcc_keep_their_place(project: Project) -> None:
    project.agents("alfa", "bravo", "carol", "delta")
    answer = project.send("alfa", broadcast=True, cc=["carol"], bcc=["delta"])
    payload = answer.deliveries[0].payload
    assert (payload.to, payload.cc, payload.bcc) == (["bravo"], ["carol"], ["delta"])
    for name, bcc in (("bravo", []), ("carol", []), ("delta", ["delta"])):
        (listed,) = project.inbox(name)
        assert (listed.id, list(listed.bcc)) == (payload.id, bcc)


def test_names_in_cc_and_bcc_alone_are_enough(project: Project) -> None:
    project.agents("alfa", "carol")
    project.register("bravo", "block_all")
    answer = project.send("alfa", broadcast=True, cc=["carol"])
    payload = answer.deliveries[0].payload
    assert (list(payload.to), list(payload.cc)) == ([], ["carol"])
    assert skips(answer) == [("bravo", "block_all")]


@pytest.mark.parametrize("field", ["cc", "bcc"])
def test_who_is_named_is_asked_for_contact_and_holds_up_the_broadcast(
    project: Project, field: str
) -> None:
    project.agents("alfa", "bravo")
    shy, other = project.register("shy", "contacts_only"), project.register("other", "auto")
    call: Any = partial(project.send, "alfa", broadcast=True, **{field: ["shy"]})
    refusal = refused(call)
    assert refusal.reason == "CONTACT_REQUIRED"
    assert refusal.metadata["auto_contact_requested"] == "shy"
    assert (len(project.requests(shy)), len(project.requests(other))) == (1, 0)
    assert project.ids("bravo") == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("blocked", "POLICY_FORBIDS"),
        ("full", "MAILBOX_FULL"),
        ("outsider", "CHILD_SCOPE"),
        ("retired", "RECIPIENT_ARCHIVED"),
        ("spent", "EXCHANGE_CAPPED"),
        ("nobody", "AGENT_NOT_FOUND"),
        ("alfa", "SELF_SEND"),
    ],
)
def test_who_is_named_is_never_skipped(every: Project, name: str, reason: str) -> None:
    assert every.unsent("alfa", broadcast=True, cc=[name]).reason == reason


def test_a_recipient_of_the_session_is_approved_when_named_and_skipped_when_not(
    project: Project,
) -> None:
    project.agents("alfa", "bravo")
    shy = project.register("shy", "contacts_only")
    project.room.call("ListMail", shy.id, within=SESSION)
    answer = project.send("alfa", broadcast=True, within=SESSION)
    assert skips(answer) == [("shy", "contact_required")]
    answer = project.send("alfa", broadcast=True, cc=["shy"], within=SESSION)
    assert skips(answer) == []
    assert len(project.ids("shy")) == 1


def test_a_broadcast_reaches_100_agents_and_no_more(project: Project) -> None:
    project.agents("alfa", *(f"a{number}" for number in range(100)))
    project.agents("b1", "b2", policy="block_all")
    answer = project.send("alfa", broadcast=True)
    assert (len(reached(answer)), len(skips(answer))) == (100, 2)
    project.register("c1")
    refusal = project.unsent("alfa", broadcast=True)
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "TOO_MANY_RECIPIENTS")
    assert "101" in refusal.message


def test_a_successor_of_a_retired_agent_is_reached_and_its_name_is_no_skip(
    project: Project,
) -> None:
    _, first = project.agents("alfa", "bravo")
    project.archive(first)
    second = project.register("bravo")
    answer = project.send("alfa", broadcast=True)
    assert (reached(answer), skips(answer)) == (["bravo"], [])
    assert len(project.room.received(second.id)) == 1
    assert project.room.received("", id=first.id) == []


def test_a_retired_namesake_of_the_sender_is_no_skip(project: Project) -> None:
    first, _ = project.agents("alfa", "bravo")
    project.archive(first)
    project.register("alfa")
    assert skips(project.send("alfa", broadcast=True)) == []
    assert skips(project.send("bravo", broadcast=True, cc=["alfa"])) == []


def test_a_dormant_agent_gets_a_broadcast(project: Project) -> None:
    _, bravo = project.agents("alfa", "bravo")
    project.room.call("SetAgentState", id=bravo.id, state="AGENT_STATE_DORMANT")
    assert reached(project.send("alfa", broadcast=True)) == ["bravo"]
