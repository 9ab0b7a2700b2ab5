"""A session's questions about contacts, through the port."""

from typing import Any

import pytest

from postroom.agent import Agent
from postroom.contact import Contact, ContactStatus
from postroom.ports import WriteNeeded
from postroom.storage.store import Store
from tests.conformance.world import add_agents, deliver
from tests.doubles import START


@pytest.fixture
def trio(store: Store) -> list[Agent]:
    """Three agents of one workflow."""
    return add_agents(store, "alfa", "bravo", "carol")


def contact(requester: Agent, target: Agent, **fields: Any) -> Contact:
    """A pending request that does not end."""
    given: dict[str, Any] = {"status": ContactStatus.PENDING, "reason": "", "updated_at": START}
    return Contact(
        requester=requester.number,
        requester_name=requester.name,
        target=target.number,
        target_name=target.name,
        **given | {"expires_at": None} | fields,
    )


def test_what_writes_asks_for_a_write(store: Store, trio: list[Agent]) -> None:
    with pytest.raises(WriteNeeded):
        store.read(lambda session: session.keep_contact(contact(*trio[:2])))
    with pytest.raises(WriteNeeded):
        store.read(lambda session: session.withdraw("mail_1", START))


def test_a_request_has_one_row_for_each_direction_and_keeps_its_place(
    store: Store, trio: list[Agent]
) -> None:
    alfa, bravo, carol = trio
    for one in (contact(alfa, bravo), contact(carol, bravo), contact(bravo, alfa)):
        store.write(lambda s, c=one: s.keep_contact(c))  # type: ignore[misc]
    settled = contact(alfa, bravo, status=ContactStatus.REFUSED, reason="r", updated_at=START + 1)
    store.write(lambda session: session.keep_contact(settled))
    rows = store.read(lambda s: s.contacts(bravo.number, after=0, limit=9))
    assert [one for _, one in rows] == [settled, contact(carol, bravo), contact(bravo, alfa)]
    rest = store.read(lambda s: s.contacts(bravo.number, after=rows[0][0], limit=1))
    assert [one for _, one in rest] == [contact(carol, bravo)]
    assert store.read(lambda s: s.contact(alfa.number, bravo.number)) == settled
    assert store.read(lambda s: s.contact(alfa.number, carol.number)) is None


def test_contact_is_approved_for_both_until_its_instant(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, carol = trio
    ends = contact(alfa, bravo, status=ContactStatus.APPROVED, expires_at=START + 5)
    lasts = contact(carol, alfa, status=ContactStatus.APPROVED)
    for one in (ends, lasts, contact(bravo, carol)):
        store.write(lambda s, c=one: s.keep_contact(c))  # type: ignore[misc]

    def approved(sender: Agent, now: int) -> frozenset[int]:
        numbers = [agent.number for agent in trio]
        return store.read(lambda s: s.approved(sender.number, numbers, now))

    assert approved(alfa, START + 4) == {bravo.number, carol.number}
    assert approved(alfa, START + 5) == {carol.number}
    assert approved(bravo, START + 4) == {alfa.number}
    assert approved(bravo, START + 5) == frozenset()
    assert store.read(lambda s: s.approved(alfa.number, [], START)) == frozenset()


def test_a_notice_that_is_withdrawn_is_offered_no_more(store: Store, trio: list[Agent]) -> None:
    alfa, bravo, _ = trio
    store.write(lambda session: deliver(session, "1", alfa, bravo))
    store.write(lambda session: session.withdraw("mail_1", START + 5))
    for now, count in ((START + 4, 1), (START + 5, 0)):
        counts = store.read(lambda s, n=now: s.count_waiting([bravo], now=n))  # type: ignore[misc]
        assert counts[bravo.number] == count
    store.write(lambda session: session.withdraw("mail_1", START + 9))
    assert store.read(lambda s: s.count_waiting([bravo], now=START + 6))[bravo.number] == 0
