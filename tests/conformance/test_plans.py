"""What SQLite looks into for a page: nothing that grows with all that was ever stored."""

from collections.abc import Sequence

import pytest

from postroom.storage import message_statements, statements
from postroom.storage.store import Store

HOLES = ", ".join("?" * 51)
BY_RECEIVED = " ORDER BY p.received_number DESC LIMIT ?"
PAGES: dict[str, tuple[str, int]] = {
    "received": (statements.RECEIVED, 4),
    "sent": (statements.SENT, 4),
    "arrivals": (statements.ARRIVALS, 4),
    "waiting": (statements.WAITING, 4),
    "inbox": (message_statements.INBOX + BY_RECEIVED, 4),
    "topic": (message_statements.OF_TOPIC, 5),
    "thread": (message_statements.OF_THREAD, 5),
    "thread for the operator": (message_statements.IN_THREAD, 4),
    "threads": (message_statements.THREADS, 4),
    "messages of a project": (message_statements.OF_PROJECT, 3),
    "found messages": (message_statements.FOUND.format(holes=HOLES), 52),
}


@pytest.mark.parametrize("store_kind", ["sqlite"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_read_in_its_order_and_sorts_nothing(store: Store, page: str) -> None:
    text, holes = PAGES[page]
    steps = plan(store, text, (1,) * holes)
    assert [step for step in steps if "TEMP B-TREE" in step or step.startswith("SCAN")] == []
    assert not any(step.endswith("message_thread (workflow=?)") for step in steps)


def plan(store: Store, text: str, parameters: Sequence[int]) -> list[str]:
    """The steps of a statement as SQLite tells them."""
    rows = store.connection.all(f"EXPLAIN QUERY PLAN {text}", parameters)
    return [str(row[-1]) for row in rows]
