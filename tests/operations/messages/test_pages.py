"""Pages of every list of messages: stable while mail arrives, and cursors that fit nowhere else."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from agent.v1.agent_pb2 import Agent
from postroom.errors import Code
from tests.doubles import ManualClock
from tests.operations.messages.world import Project

# Each list: what to ask, and what a row is known by.
LISTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "FetchInbox": ({"agent_name": "bravo"}, "messages", "id"),
    "FetchTopic": ({"agent_name": "bravo", "topic": "t"}, "messages", "id"),
    "FetchThread": ({"thread_id": "x"}, "messages", "id"),
    "SearchMessages": ({"agent_name": "bravo", "query": "plan"}, "messages", "id"),
    "ListThreads": ({"agent_name": "bravo"}, "threads", "thread_id"),
    "ListContacts": ({"agent_name": "bravo"}, "contacts", "from"),
    "ListProjectAgents": ({}, "agents", "name"),
}
NEWEST_FIRST = set(LISTS) - {"ListContacts", "ListProjectAgents"}


@pytest.fixture
def bravo(project: Project) -> Agent:
    """An agent that got seven messages and as many requests for contact."""
    project.register("alfa")
    agent = project.register("bravo")
    for number in range(7):
        add(project, number)
    return agent


def add(project: Project, number: int) -> None:
    """One more row for every list."""
    project.register(f"c{number}")
    project.ask(f"c{number}", "bravo")
    project.message("alfa", "bravo", topic="t", thread_id="x", body_md=f"m {number}")
    project.message("alfa", "bravo", thread_id=f"t{number}")


def page(project: Project, as_: str, method: str, cursor: str = "", **more: Any) -> Any:
    """A page of two rows: what they are known by, and the next cursor."""
    fields, rows, name = LISTS[method]
    given = {"pagination": {"limit": 2, "cursor": cursor}} | fields | more
    answer = project.call(method, as_, **given)
    return [getattr(row, name) for row in getattr(answer, rows)], answer.next_page_token


def walk(
    project: Project, as_: str, method: str, between: Callable[[], Any] = lambda: None
) -> list[str]:
    """Every row, page by page."""
    found: list[str] = []
    cursor = ""
    while True:
        shown, cursor = page(project, as_, method, cursor)
        found += shown
        if not cursor:
            return found
        assert len(shown) == 2
        between()


@pytest.mark.parametrize("method", LISTS)
def test_pages_are_the_whole_list_in_order(project: Project, bravo: Agent, method: str) -> None:
    whole, rest = page(project, bravo.id, method, pagination={"limit": 200})
    assert rest == ""
    assert len(whole) >= 7
    assert len(set(whole)) == len(whole)
    assert walk(project, bravo.id, method) == whole


@pytest.mark.parametrize("method", LISTS)
def test_c53_what_arrives_between_two_pages_doubles_and_hides_nothing(
    project: Project, bravo: Agent, method: str, clock: ManualClock
) -> None:
    whole, _ = page(project, bravo.id, method, pagination={"limit": 200})
    numbers = iter(range(100, 200))

    def arrive() -> None:
        clock.advance(seconds=-1)
        add(project, next(numbers)) if method in NEWEST_FIRST else None

    found = walk(project, bravo.id, method, arrive)
    assert found == whole


def test_what_arrives_behind_the_last_page_is_shown_by_lists_of_the_oldest(
    project: Project, bravo: Agent
) -> None:
    for method in ("ListContacts", "ListProjectAgents"):
        _, cursor = page(project, bravo.id, method)
        name = f"new-{method.lower()}"
        project.register(name)
        project.ask(name, "bravo")
        shown = []
        while cursor:
            rows, cursor = page(project, bravo.id, method, cursor)
            shown += rows
        assert shown[-1] == name


def test_c53_a_page_of_an_inbox_goes_on_after_a_copy_that_expired(
    project: Project, clock: ManualClock
) -> None:
    _, bravo = project.agents("alfa", "bravo")
    sent = []
    for _ in range(4):
        sent.append(project.message("alfa", "bravo").id)
        clock.advance(days=1)
    shown, cursor = page(project, bravo.id, "FetchInbox")
    assert shown == sent[:1:-1]
    clock.advance(days=3, hours=12)
    rest, end = page(project, bravo.id, "FetchInbox", cursor)
    assert (rest, end) == ([sent[1]], "")


@pytest.mark.parametrize("method", LISTS)
def test_a_cursor_fits_its_own_list_and_caller_alone(
    project: Project, bravo: Agent, method: str
) -> None:
    _, cursor = page(project, bravo.id, method)
    assert page(project, bravo.id, method, cursor)[0]
    foreign: list[tuple[str, str, dict[str, Any]]]
    foreign = [(other, bravo.id, {}) for other in LISTS if other != method]
    foreign += [(method, "operator", {}), (method, "", {})]
    foreign += [(method, bravo.id, more) for more in _filters(method)]
    for other, caller, more in foreign:
        refusal = project.refusal(partial(page, project, caller, other, cursor, **more))
        assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "CURSOR_INVALID")


def _filters(method: str) -> list[dict[str, Any]]:
    filters: dict[str, list[dict[str, Any]]] = {
        "FetchInbox": [
            {"topic": "t"},
            {"unread_only": True},
            {"urgent_only": True},
            {"since_ts": "2026-12-01T09:29:00Z"},
        ],
        "FetchTopic": [{"topic": "u"}],
        "FetchThread": [{"thread_id": "t1"}],
        "SearchMessages": [{"query": "plan*"}],
    }
    return filters.get(method, [])


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("cursor", ["zzz", "=", "A" * 2_048])
def test_c55_a_forged_cursor_is_refused(
    project: Project, bravo: Agent, method: str, cursor: str
) -> None:
    refusal = project.refusal(partial(page, project, bravo.id, method, cursor))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "CURSOR_INVALID")


@pytest.mark.parametrize("method", LISTS)
def test_a_limit_is_not_negative(project: Project, bravo: Agent, method: str) -> None:
    call = partial(page, project, bravo.id, method, pagination={"limit": -1})
    refusal = project.refusal(call)
    assert [violation.field for violation in refusal.violations] == ["pagination.limit"]
    assert page(project, bravo.id, method, pagination={"limit": 100_000})[1] == ""


@pytest.mark.parametrize("method", ["FetchInbox", "FetchTopic", "FetchThread"])
def test_a_page_ends_before_3_mib_and_holds_at_least_one(project: Project, method: str) -> None:
    _, bravo = project.agents("alfa", "bravo")
    body = "x" * 262_144
    sent = [
        project.message("alfa", "bravo", topic="t", thread_id="x", body_md=body).id
        for _ in range(13)
    ]
    asked: dict[str, Any] = {"include_bodies": True, "pagination": {"limit": 50}}
    shown, cursor = page(project, bravo.id, method, **asked)
    assert shown == sent[:1:-1]
    asked["pagination"] = {"limit": 50, "cursor": cursor}
    assert page(project, bravo.id, method, **asked) == (sent[1::-1], "")
    without: dict[str, Any] = {"include_bodies": False, "pagination": {"limit": 50}}
    assert len(page(project, bravo.id, method, **without)[0]) == 13
