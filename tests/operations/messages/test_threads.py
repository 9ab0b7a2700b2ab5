"""FetchTopic, FetchThread and ListThreads: what an agent sent and got, and nothing else."""

from functools import partial
from typing import Any

import pytest

from agent.v1.agent_pb2 import Agent
from postroom.errors import Code
from tests.doubles import ManualClock
from tests.operations.messages.world import Project
from tests.room import Room


@pytest.fixture
def agents(project: Project) -> dict[str, Agent]:
    """Four open agents by name."""
    return {agent.name: agent for agent in project.agents("alfa", "bravo", "carol", "delta")}


def thread(project: Project, agent: Agent | None, id: str, **fields: Any) -> list[str]:
    """The ids of a thread's messages, as an agent or the operator sees it."""
    answer = project.call("FetchThread", agent.id if agent else "", thread_id=id, **fields)
    return [one.id for one in answer.messages]


def topic(project: Project, name: str, word: str) -> list[str]:
    """The ids of a topic's messages, as an agent sees it."""
    answer = project.call("FetchTopic", agent_name=name, topic=word)
    return [one.id for one in answer.messages]


def listed(project: Project, name: str) -> list[tuple[Any, ...]]:
    """An agent's threads."""
    threads = project.call("ListThreads", agent_name=name).threads
    return [(t.thread_id, t.subject, t.message_count, list(t.participants)) for t in threads]


def test_m24_a_topic_holds_what_the_agent_sent_and_got(
    project: Project, agents: dict[str, Agent]
) -> None:
    assert agents
    one = project.message("alfa", "bravo", topic="br-abc.1").id
    two = project.message("bravo", "alfa", topic="br-abc.1").id
    project.message("alfa", "bravo", topic="br-abc")
    project.message("alfa", "bravo")
    three = project.message("carol", bcc=["bravo"], topic="br-abc.1").id
    assert topic(project, "alfa", "br-abc.1") == [two, one]
    assert topic(project, "bravo", "br-abc.1") == [three, two, one]
    assert topic(project, "carol", "br-abc.1") == [three]
    assert topic(project, "delta", "br-abc.1") == topic(project, "alfa", "unseen") == []


@pytest.mark.parametrize("word", ["", "a b", "-a", "a" * 65])
def test_a_topic_that_none_could_have_is_refused(
    project: Project, agents: dict[str, Agent], word: str
) -> None:
    assert agents
    refusal = project.refusal(partial(topic, project, "alfa", word))
    assert [violation.field for violation in refusal.violations] == ["topic"]


def test_bodies_of_topics_and_threads_come_only_when_asked_for(
    project: Project, agents: dict[str, Agent]
) -> None:
    project.message("alfa", "bravo", topic="t", thread_id="x")
    for wanted, body in ((True, "see below"), (False, "")):
        asked: dict[str, Any] = {"include_bodies": wanted}
        (one,) = project.call("FetchTopic", agent_name="alfa", topic="t", **asked).messages
        (two,) = project.call("FetchThread", agents["bravo"].id, thread_id="x", **asked).messages
        assert [one.body_md, two.body_md] == [body] * 2


def test_a_thread_holds_what_the_caller_sent_and_got_newest_first(
    project: Project, agents: dict[str, Agent]
) -> None:
    one = project.message("alfa", "bravo", thread_id="x").id
    two = project.reply("bravo", one).id
    three = project.message("carol", "alfa", thread_id="x").id
    assert thread(project, agents["alfa"], "x") == [three, two, one]
    assert thread(project, agents["bravo"], "x") == [two, one]
    assert thread(project, agents["carol"], "x") == [three]
    assert thread(project, None, "x") == [three, two, one]
    assert thread(project, agents["alfa"], "x", project_key="") == [three, two, one]


def test_a_thread_without_a_message_of_the_callers_is_not_found(
    project: Project, agents: dict[str, Agent], room: Room
) -> None:
    project.message("alfa", "bravo", thread_id="x")
    outsider = Project(room, "/other").register("outsider")
    for caller, id in ((agents["delta"], "x"), (agents["alfa"], "y"), (outsider, "x")):
        refusal = project.refusal(partial(thread, project, caller, id))
        assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "THREAD_NOT_FOUND")
    refusal = project.refusal(partial(thread, project, None, "x", project_key=""))
    assert [violation.field for violation in refusal.violations] == ["project_key"]


def test_one_thread_id_in_two_projects_is_two_threads(
    project: Project, agents: dict[str, Agent], room: Room
) -> None:
    other = Project(room, "/other")
    other.agents("alfa", "bravo")
    one = project.message("alfa", "bravo", thread_id="x").id
    two = other.message("alfa", "bravo", thread_id="x").id
    assert thread(project, agents["alfa"], "x") == thread(project, None, "x") == [one]
    assert thread(other, None, "x") == [two]
    assert listed(project, "alfa") == [("x", "plan", 1, ["alfa", "bravo"])]


def test_threads_are_listed_by_their_last_message_in_figures(
    project: Project, agents: dict[str, Agent], clock: ManualClock
) -> None:
    assert agents
    first = project.message("alfa", "bravo", subject="first")
    project.message("alfa", "carol", thread_id="x", subject="second")
    clock.advance(minutes=1)
    project.reply("bravo", first.id, cc=["delta"])
    assert listed(project, "alfa") == [
        (first.id, "first", 2, ["alfa", "bravo", "delta"]),
        ("x", "second", 1, ["alfa", "carol"]),
    ]
    assert listed(project, "delta") == [(first.id, "Re: first", 1, ["alfa", "bravo", "delta"])]
    assert listed(project, "carol") == [("x", "second", 1, ["alfa", "carol"])]
    (found, _) = project.call("ListThreads", agent_name="alfa").threads
    assert found.first_at == "2026-12-01T09:30:00.000000Z"
    assert found.last_at == "2026-12-01T09:31:00.000000Z"


def test_a_thread_counts_only_what_the_agent_itself_sent_or_got(
    project: Project, agents: dict[str, Agent]
) -> None:
    assert agents
    for _ in range(3):
        project.message("alfa", "bravo", thread_id="x")
    project.message("carol", "delta", thread_id="x", subject="apart")
    assert listed(project, "bravo") == [("x", "plan", 3, ["alfa", "bravo"])]
    assert listed(project, "delta") == [("x", "apart", 1, ["carol", "delta"])]


def test_names_in_a_thread_are_sorted_the_same_on_every_database(project: Project) -> None:
    names = ["b-1", "B2", "a_b", "a.b", "Z", "b1", "0", "a-c"]
    project.agents("sender", *names)
    project.message("sender", *names, thread_id="x")
    assert listed(project, "Z") == [("x", "plan", 1, sorted(["sender", *names]))]
