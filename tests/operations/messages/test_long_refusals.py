"""Refusals that name many agents: a client must be able to take them."""

from urllib.parse import quote

import pytest

from postroom.errors import Code, Refusal
from postroom.rpc.status import status
from tests.operations.messages.world import Project
from tests.room import refused

# As many agents as a message may go to, with names as long as they may be.
NAMES = [f"{'n' * 61}{number:03}" for number in range(100)]
ODD_NAMES = [f"{chr(0x1F600) * 100}{number:03}" for number in range(100)]


def _travels(refusal: Refusal) -> bool:
    """Whether it fits into the headers that gRPC clients take, 8 KiB with what else is there."""
    told = status(refusal)
    size: float = len(quote(told.message)) + told.ByteSize() * 4 / 3
    return size < 7_800


def _of(sender: str, project: Project, *to: str, **fields: bool) -> Refusal:
    return refused(lambda: project.send(sender, *to, **fields))


@pytest.mark.parametrize("names", [NAMES, ODD_NAMES], ids=["ascii", "odd"])
def test_a_hundred_unknown_names_travel(project: Project, names: list[str]) -> None:
    project.agents("alfa")
    refusal = _of("alfa", project, *names)
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "AGENT_NOT_FOUND")
    assert _travels(refusal)
    assert "more; register it" in refusal.message


@pytest.mark.parametrize("asks", [True, False])
def test_a_hundred_that_require_contact_travel(project: Project, asks: bool) -> None:
    project.agents("alfa")
    project.agents(*NAMES, policy="contacts_only")
    refusal = _of("alfa", project, *NAMES, auto_contact_if_blocked=asks)
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, "CONTACT_REQUIRED")
    assert _travels(refusal)
    asked = refusal.metadata["auto_contact_requested"]
    assert asked.startswith(f"{NAMES[0]}, {NAMES[1]}, ") is asks
    assert asked.endswith(" more") is asks


def test_a_hundred_that_take_nothing_travel(project: Project) -> None:
    project.agents("alfa")
    project.agents(*NAMES, policy="block_all")
    refusal = _of("alfa", project, *NAMES)
    assert refusal.reason == "POLICY_FORBIDS"
    assert _travels(refusal)


def test_a_broadcast_that_reaches_none_of_a_hundred_travels(project: Project) -> None:
    project.agents("alfa")
    project.agents(*NAMES, policy="block_all")
    refusal = _of("alfa", project, broadcast=True)
    assert refusal.reason == "NO_RECIPIENTS"
    assert _travels(refusal)
    assert "more; nothing was sent" in refusal.message


def test_short_names_are_all_told(project: Project) -> None:
    names = [f"agent-{number}" for number in range(60)]
    project.agents("alfa")
    project.agents(*names, policy="contacts_only")
    refusal = _of("alfa", project, *names)
    assert refusal.metadata["auto_contact_requested"].split(", ") == names


def test_some_that_have_refused_among_a_hundred_travel(project: Project) -> None:
    project.agents("alfa")
    project.agents(*NAMES, policy="contacts_only")
    for name in NAMES[::2]:
        project.call("RequestContact", from_agent="alfa", to_agent=name)
        project.call("RespondContact", to_agent=name, from_agent="alfa", accept=False)
    refusal = _of("alfa", project, *NAMES)
    assert refusal.reason == "CONTACT_REQUIRED"
    assert "asked just now" in refusal.message
    assert "not asked again" in refusal.message
    assert refusal.metadata["auto_contact_requested"].startswith(f"{NAMES[1]}, {NAMES[3]}, ")
    assert _travels(refusal)
