"""SendMessage: a request that breaks several rules is refused by the first in their order."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from agent.v1.agent_pb2 import Agent
from postroom.attachment import Attachment, Mode
from postroom.enclosure import Enclosed
from postroom.errors import Code, Refusal
from postroom.messaging import enclosing
from postroom.rpc.status import status
from tests.operations.messages.world import Project
from tests.room import Room

# Every fault that a message can have, in the order of messages.md, with its reason.
FAULTS: tuple[tuple[str, Code, dict[str, Any]], ...] = (
    ("CALLER_UNKNOWN", Code.UNAUTHENTICATED, {"as_": "agt_nobody"}),
    ("INVALID_FIELD", Code.INVALID_ARGUMENT, {"subject": ""}),
    ("PROJECT_NOT_FOUND", Code.NOT_FOUND, {"project_key": "/unseen"}),
    ("IDENTITY_MISMATCH", Code.PERMISSION_DENIED, {"as_": "bravo"}),
    ("SELF_SEND", Code.INVALID_ARGUMENT, {"cc": "sender"}),
    ("AGENT_NOT_FOUND", Code.NOT_FOUND, {"cc": "nobody"}),
    ("RECIPIENT_ARCHIVED", Code.FAILED_PRECONDITION, {"cc": "retired"}),
    ("CHILD_SCOPE", Code.PERMISSION_DENIED, {"cc": "outsider"}),
    ("POLICY_FORBIDS", Code.PERMISSION_DENIED, {"cc": "blocked"}),
    ("CONTACT_REQUIRED", Code.FAILED_PRECONDITION, {"cc": "shy"}),
    ("BAD_IMAGE", Code.INVALID_ARGUMENT, {"image": True}),
    ("EXCHANGE_CAPPED", Code.RESOURCE_EXHAUSTED, {"cc": "spent"}),
    ("MAILBOX_FULL", Code.RESOURCE_EXHAUSTED, {"cc": "full"}),
)


@pytest.fixture
def crowd(project: Project, limited: Callable[..., Room]) -> tuple[Project, dict[str, Agent]]:
    """A child as sender, and its siblings, one for each fault that a recipient can have."""
    project.room = limited(exchange=2, mailbox=1)
    parent, bravo, outsider = project.agents("parent", "bravo", "outsider")
    names = ("sender", "retired", "blocked", "shy", "spent", "full")
    agents = {name: project.child(name, parent) for name in names}
    agents |= {"bravo": bravo, "outsider": outsider}
    project.send("sender", "spent")
    project.room.call("ReadMail", agents["spent"].id)
    project.send("spent", "sender")
    project.send("parent", "full")
    project.archive(agents["retired"])
    project.call("SetContactPolicy", agent_name="blocked", policy="block_all")
    project.call("SetContactPolicy", agent_name="shy", policy="contacts_only")
    return project, agents


@pytest.mark.parametrize("first", range(len(FAULTS)), ids=[fault[0] for fault in FAULTS])
def test_the_first_fault_decides_and_nothing_is_stored(
    crowd: tuple[Project, dict[str, Agent]], first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, agents = crowd
    faults = [fault for _, _, fault in FAULTS[first:]]
    fields: dict[str, Any] = {"subject": "s", "body_md": "b", "auto_contact_if_blocked": False}
    names = [fault["cc"] for fault in faults if "cc" in fault]
    # Both limits are one check, made for one recipient after the other.
    fields["cc"] = ["parent", *reversed(names[:-2]), *names[-2:]]
    for fault in reversed(faults):
        fields |= {name: value for name, value in fault.items() if name not in ("cc", "image")}
    if any("image" in fault for fault in faults):
        monkeypatch.setattr(enclosing, "enclose", _spoiled)
    as_ = fields.pop("as_", "")
    caller = agents[as_].id if as_ in agents else as_
    call = partial(project.call, "SendMessage", caller, sender_name="sender", **fields)
    refusal = project.refusal(call)
    assert (refusal.reason, refusal.code) == FAULTS[first][:2]


async def _spoiled(*_: object) -> Enclosed:
    refusal = Refusal("no image", Code.INVALID_ARGUMENT, "BAD_IMAGE")
    return Enclosed(body_md="b", refusal=refusal)


def test_the_daily_quota_of_attachments_comes_before_the_limits(
    crowd: tuple[Project, dict[str, Agent]], monkeypatch: pytest.MonkeyPatch
) -> None:
    project, _ = crowd

    async def heavy(*_: object) -> Enclosed:
        one = Attachment(name="a.png", mode=Mode.FILE, sha256="0" * 64, bytes=50 * 1024 * 1024)
        return Enclosed(body_md="b", attachments=(one,))

    monkeypatch.setattr(enclosing, "enclose", heavy)
    project.send("sender", "parent")
    refusal = project.unsent("sender", "full")
    assert (refusal.code, refusal.reason) == (Code.RESOURCE_EXHAUSTED, "ATTACHMENT_QUOTA")


def test_a_shape_that_only_the_operation_knows_comes_before_the_project(project: Project) -> None:
    for fields in ({"subject": " "}, {"topic": "-"}, {"broadcast": True}):
        refusal = project.unsent("nobody", "none", project_key="/unseen", **fields)
        assert refusal.reason == "INVALID_FIELD"


def test_unknown_names_are_all_listed_and_nobody_gets_anything(project: Project) -> None:
    alfa, bravo, retired = project.agents("alfa", "bravo", "retired")
    project.archive(retired)
    refusal = project.unsent("alfa", "bravo", "zulu", "retired", cc=["Bravo"], bcc=["yoke", "zulu"])
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "AGENT_NOT_FOUND")
    assert [resource.name for resource in refusal.resources] == ["zulu", "Bravo", "yoke"]
    for name in ("zulu", "Bravo", "yoke"):
        assert repr(name) in refusal.message
    assert "retired" not in refusal.message
    assert project.room.received(bravo.id) == project.room.received(alfa.id) == []


def test_m14_an_unknown_recipient_is_neither_made_nor_mailed(project: Project) -> None:
    project.agents("alfa", "known")
    assert project.unsent("alfa", "known", "unknown").reason == "AGENT_NOT_FOUND"
    names = [agent.name for agent in project.call("ListProjectAgents").agents]
    assert names == ["alfa", "known"]
    assert project.ids("known") == []


@pytest.mark.parametrize("name", ["", " bravo", "bravo ", "agt_1", "x" * 500, "a\nb", "operator"])
def test_what_is_nobodys_name_is_unknown(project: Project, name: str) -> None:
    _, bravo = project.agents("alfa", "bravo")
    assert project.unsent("alfa", name).reason == "AGENT_NOT_FOUND"
    assert project.unsent("alfa", bravo.id).reason == "AGENT_NOT_FOUND"


def test_many_unknown_names_are_told_in_a_refusal_that_fits(project: Project) -> None:
    project.agents("alfa")
    refusal = project.unsent("alfa", *(f"agent-{number}" for number in range(100)))
    assert "and 85 more" in refusal.message
    assert len(refusal.resources) == 15
    refusal = project.unsent("alfa", *("\N{SNOWMAN}" * 500 + str(n) for n in range(100)))
    in_headers = (
        3 * len(refusal.message.encode()) + len(status(refusal).SerializeToString()) * 4 // 3
    )
    assert in_headers < 8_000


def test_an_agent_of_another_project_is_unknown(project: Project, room: Room) -> None:
    project.agents("alfa")
    Project(room, "/other").agents("bravo")
    assert project.unsent("alfa", "bravo").reason == "AGENT_NOT_FOUND"


def test_c07_an_agent_that_has_ended_gets_nothing_and_nobody_else_does(project: Project) -> None:
    _, bravo, carol = project.agents("alfa", "bravo", "carol")
    project.archive(carol)
    refusal = project.unsent("alfa", "bravo", cc=["carol"])
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, "RECIPIENT_ARCHIVED")
    assert project.room.received(bravo.id) == []


def test_a_message_to_oneself_is_refused_whatever_else_is_in_it(project: Project) -> None:
    project.agents("alfa", "bravo")
    for field in ("to", "cc", "bcc"):
        lists: dict[str, Any] = {"to": ["bravo"]} | {field: ["alfa"]}
        call = partial(
            project.call, "SendMessage", sender_name="alfa", subject="s", body_md="b", **lists
        )
        refusal = project.refusal(call)
        assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "SELF_SEND")
        assert [violation.field for violation in refusal.violations] == [field]


def test_a_child_reaches_its_parent_and_siblings_alone(project: Project) -> None:
    parent, outsider = project.agents("parent", "outsider")
    child, sibling = project.child("child", parent), project.child("sibling", parent)
    grandchild = project.child("grandchild", child)
    project.send("child", "parent", "sibling")
    project.send("outsider", "child", "grandchild", "parent")
    project.send("grandchild", "child")
    for sender, to in (
        ("child", "outsider"),
        ("child", "grandchild"),
        ("grandchild", "parent"),
        ("grandchild", "sibling"),
    ):
        refusal = project.unsent(sender, "parent" if sender == "child" else "child", cc=[to])
        assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "CHILD_SCOPE")
    assert len({parent.id, outsider.id, child.id, sibling.id, grandchild.id}) == 5
