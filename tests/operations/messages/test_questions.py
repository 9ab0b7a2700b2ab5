"""How often the database is asked does not depend on how much a call is about."""

from collections.abc import Callable
from typing import Any

import pytest

from postroom.storage.database import Connection
from tests.operations.messages.world import Project
from tests.room import Room

Ask = Callable[[Callable[[], Any]], int]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Counts the questions of a call: each statement that only reads."""
    texts: list[str] = []
    run = Connection.run

    def noted(connection: Connection, text: str, *more: Any) -> Any:
        texts.append(text)
        return run(connection, text, *more)

    monkeypatch.setattr(Connection, "run", noted)

    def count(call: Callable[[], Any]) -> int:
        texts.clear()
        call()
        return sum(text.lstrip().startswith("SELECT") for text in texts)

    return count


@pytest.mark.parametrize("policy", ["open", "auto", "contacts_only"])
def test_a_send_asks_the_same_for_many_recipients_as_for_a_few(
    project: Project, asked: Ask, policy: str
) -> None:
    project.register("alfa")
    names = [f"a{number}" for number in range(24)]
    for name in names:
        project.register(name, policy)
        if policy == "auto":
            project.send(name, "alfa")
        else:
            project.approve("alfa", name)

    few, many = names[:3], names[3:]
    # The sender and its project are known by then, and no pair is.
    project.send("alfa", *few[:1])
    some = asked(lambda: project.send("alfa", *few[1:]))
    assert asked(lambda: project.send("alfa", *many)) == some > 0


def test_an_open_recipient_costs_no_question_about_contact(project: Project, asked: Ask) -> None:
    project.agents("alfa", "bravo", "carol")
    project.register("shy", "contacts_only")
    project.approve("alfa", "shy")
    project.send("alfa", "bravo", "carol", "shy")
    few = asked(lambda: project.send("alfa", "bravo", "carol"))
    assert asked(lambda: project.send("alfa", "bravo", "shy")) == few + 1


def test_full_mailboxes_are_counted_at_once(
    project: Project, limited: Callable[..., Room], asked: Ask
) -> None:
    project.room = limited(mailbox=1, mail_ttl=60)
    project.agents("alfa", *(f"a{number}" for number in range(12)))
    project.send("alfa", broadcast=True)
    project.room.office.clock.advance(seconds=61)  # type: ignore[attr-defined]
    project.send("alfa", "a0")
    project.room.office.clock.advance(seconds=61)  # type: ignore[attr-defined]
    some = asked(lambda: project.send("alfa", "a0", "a1"))
    assert asked(lambda: project.send("alfa", *(f"a{number}" for number in range(2, 12)))) == some


def test_a_list_of_threads_asks_the_same_for_many_as_for_a_few(
    project: Project, asked: Ask
) -> None:
    project.agents("alfa", "bravo")
    for number in range(12):
        project.message("alfa", "bravo", thread_id=f"t{number}")

    def page(limit: int) -> Callable[[], Any]:
        asking = {"agent_name": "bravo", "pagination": {"limit": limit}}
        return lambda: project.call("ListThreads", **asking)

    page(1)()
    assert asked(page(2)) == asked(page(9)) > 0
