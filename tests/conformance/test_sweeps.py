"""What a sweep deletes, and what is still known afterwards."""

from functools import partial

import pytest

from postroom.agent import Agent
from postroom.ports import Session
from postroom.storage.store import Store
from tests.conformance.world import NEVER, add_agents, deliver
from tests.doubles import START


@pytest.fixture
def trio(store: Store) -> list[Agent]:
    """Three agents of one workflow."""
    return add_agents(store, "alfa", "bravo", "carol")


def sweep(store: Store, *, expired: int = 0, uploaded: int = 0) -> int:
    """Sweep until nothing is left to do; returns how much was deleted."""
    total = 0
    while swept := store.sweep(expired_before=expired, answered_before=0, uploaded_before=uploaded):
        total += swept
    return total


def test_uploads_that_no_quota_counts_any_more_are_deleted(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, _ = trio

    def upload(session: Session) -> None:
        for number in range(600):
            session.count_upload((alfa, bravo)[number % 2].number, 1, START)
        session.count_upload(alfa.number, 10, START + 5)

    store.write(upload)
    assert sweep(store, uploaded=START) == 0
    assert sweep(store, uploaded=START + 1) == 600
    assert store.read(lambda s: s.sent_bytes(alfa.number, 0)) == 10
    assert sweep(store, uploaded=START + 5) == 0


def test_who_has_written_mail_is_known_after_it_is_swept(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, carol = trio

    def fill(session: Session) -> None:
        for number in range(600):
            deliver(session, f"fill-{number}", carol, bravo)

    store.write(fill)
    store.write(partial(deliver, id="last", sender=alfa, recipient=bravo))

    def written() -> frozenset[int]:
        others = [agent.number for agent in trio]
        return store.read(lambda session: session.writers_to(bravo.number, others))

    both = {alfa.number, carol.number}
    assert written() == both
    assert sweep(store, expired=NEVER + 1) == 601
    assert written() == both
    assert not store.read(lambda session: session.writers_to(alfa.number, [bravo.number]))
