"""Many callers at once, at one server and at two: limits hold exactly, nothing doubles."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from postroom.storage.store import Store
from tests.conformance.callers import Desk, at_once
from tests.doubles import ManualClock

SENDERS = 32


@pytest.fixture(params=["one server", "two servers"])
def stores(request: pytest.FixtureRequest, store: Store) -> Sequence[Store]:
    """The store, twice, or it and another server's."""
    if request.param == "one server":
        return store, store
    return store, request.getfixturevalue("other_store")


def _desks(stores: Sequence[Store], clock: ManualClock, **limits: Any) -> list[Desk]:
    return [Desk(store, clock, **limits) for store in stores]


def _numbers(store: Store, column: str, agent: str) -> list[int]:
    owner = {"received_number": "recipient", "sent_number": "sender"}[column]
    text = (
        f"SELECT m.{column} FROM mail m JOIN agent a ON a.number = m.{owner} "
        f"WHERE a.id = ? ORDER BY m.{column}"
    )
    return [number for (number,) in store.connection.all(text, (agent,))]


def test_parallel_senders_share_exactly_the_mails_of_a_pair(
    stores: Sequence[Store], clock: ManualClock
) -> None:
    desks = _desks(stores, clock, exchange=20)
    alfa, bravo = desks[0].agents("alfa", "bravo")
    pairs = ((alfa, bravo), (bravo, alfa))

    def send(number: int) -> str:
        sender, to = pairs[number // 2 % 2]
        return desks[number % 2].outcome("SendMail", sender, to=to, body=str(number))

    outcomes = Counter(at_once([partial(send, number) for number in range(SENDERS)]))
    assert outcomes == {"ok": 20, "EXCHANGE_CAPPED": 12}
    plain, notices = "SELECT COUNT(*) FROM mail WHERE kind = 1", "SELECT kind, COUNT(*) FROM mail"
    assert stores[0].connection.one(plain) == (20,)
    rows = stores[0].connection.all(f"{notices} WHERE kind = 3 GROUP BY kind, recipient")
    assert rows == [(3, 1), (3, 1)]


def test_parallel_senders_share_exactly_the_places_of_a_mailbox(
    stores: Sequence[Store], clock: ManualClock
) -> None:
    desks = _desks(stores, clock, mailbox=20)
    to, *senders = desks[0].agents(*(f"agent-{number}" for number in range(SENDERS + 1)))

    def send(number: int) -> str:
        return desks[number % 2].outcome("SendMail", senders[number], to=to, body="x")

    outcomes = Counter(at_once([partial(send, number) for number in range(SENDERS)]))
    assert outcomes == {"ok": 20, "MAILBOX_FULL": 12}
    assert _numbers(stores[0], "received_number", to) == list(range(1, 21))
    desks[1].call("ReadMail", to, limit=5)
    outcomes = Counter(at_once([partial(send, number) for number in range(SENDERS)]))
    assert outcomes == {"ok": 5, "MAILBOX_FULL": 27}


def test_numbers_of_both_sides_have_no_gap_and_no_double(
    stores: Sequence[Store], clock: ManualClock
) -> None:
    desks = _desks(stores, clock)
    agents = desks[0].agents("a", "b", "c", "d")

    def send(number: int) -> str:
        sender, to = agents[number % 4], agents[(number + 1 + number // 4 % 3) % 4]
        return desks[number % 2].outcome("SendMail", sender, to=to, body="x")

    works = [partial(send, number) for number in range(SENDERS)]
    for _ in range(3):
        assert at_once(works) == ["ok"] * SENDERS
    for agent in agents:
        for column in ("received_number", "sent_number"):
            numbers = _numbers(stores[0], column, agent)
            assert numbers == list(range(1, 25))
    received = stores[0].connection.all(
        "SELECT received, sent, waiting FROM mailbox WHERE sent > 0"
    )
    assert received == [(24, 24, 24)] * 4


def test_eight_readers_are_given_500_mails_exactly_once(
    stores: Sequence[Store], clock: ManualClock
) -> None:
    desks = _desks(stores, clock, mailbox=500)
    (alfa,) = desks[0].agents("alfa")

    def fill(sender: int) -> None:
        for number in range(sender, 500, 25):
            desks[0].call("SendMail", to=alfa, body=str(number))

    at_once([partial(fill, sender) for sender in range(25)])

    def read_all(reader: int) -> list[str]:
        taken: list[str] = []
        while True:
            answer = desks[reader % 2].call("ReadMail", alfa, limit=20)
            taken += [mail.body for mail in answer.mail]
            if not answer.mail:
                return taken

    given = at_once([partial(read_all, reader) for reader in range(8)])
    assert Counter(body for taken in given for body in taken) == Counter(map(str, range(500)))


def test_senders_and_readers_at_once_lose_and_double_nothing(
    stores: Sequence[Store], clock: ManualClock
) -> None:
    desks = _desks(stores, clock, mailbox=1_000)
    (alfa,) = desks[0].agents("alfa")

    def send(sender: int) -> list[str]:
        for number in range(20):
            desks[sender % 2].call("SendMail", to=alfa, body=f"{sender}-{number}")
        return []

    def read(reader: int) -> list[str]:
        answers = [desks[reader % 2].call("ReadMail", alfa, limit=3) for _ in range(20)]
        return [mail.body for answer in answers for mail in answer.mail]

    works = [partial(work, number) for number in range(6) for work in (send, read)]
    taken = [body for bodies in at_once(works) for body in bodies]
    while rest := desks[0].call("ReadMail", alfa).mail:
        taken += [mail.body for mail in rest]
    assert Counter(taken) == Counter(f"{s}-{n}" for s in range(6) for n in range(20))


def test_one_request_id_sent_many_times_at_once_is_one_mail(
    stores: Sequence[Store], clock: ManualClock
) -> None:
    desks = _desks(stores, clock)
    alfa, bravo = desks[0].agents("alfa", "bravo")
    for round_ in range(10):

        def send(number: int, key: str = f"r-{round_}") -> bytes:
            fields = {"to": bravo, "body": "once", "request_id": key}
            answer = desks[number % 2].call("SendMail", alfa, **fields)
            return bytes(answer.SerializeToString(deterministic=True))

        assert len(set(at_once([partial(send, number) for number in range(8)]))) == 1
    assert _numbers(stores[0], "received_number", bravo) == list(range(1, 11))


def test_one_request_id_read_many_times_at_once_claims_once(
    stores: Sequence[Store], clock: ManualClock
) -> None:
    desks = _desks(stores, clock)
    (alfa,) = desks[0].agents("alfa")
    for number in range(10):
        desks[0].call("SendMail", to=alfa, body=str(number))

    def read(number: int) -> bytes:
        answer = desks[number % 2].call("ReadMail", alfa, limit=3, request_id="r-1")
        return bytes(answer.SerializeToString(deterministic=True))

    assert len(set(at_once([partial(read, number) for number in range(8)]))) == 1
    assert desks[0].call("ReadMail", alfa).mail[0].body == "3"


def test_a_name_is_given_to_one_of_many_that_ask_at_once(
    stores: Sequence[Store], clock: ManualClock
) -> None:
    desks = _desks(stores, clock)

    def make(number: int) -> str:
        name = ("alfa", "Alfa", "ALFA")[number % 3]
        return desks[number % 2].outcome("CreateAgent", name=name, workflow="new")

    outcomes = Counter(at_once([partial(make, number) for number in range(12)]))
    assert outcomes == {"ok": 1, "NAME_TAKEN": 11}
    assert stores[0].connection.one("SELECT COUNT(*) FROM workflow") == (1,)


def test_an_agent_that_is_archived_meanwhile_gets_no_mail_afterwards(
    stores: Sequence[Store], clock: ManualClock
) -> None:
    desks = _desks(stores, clock)
    (alfa,) = desks[0].agents("alfa")

    def work(number: int) -> str:
        if number == SENDERS // 2:
            return desks[1].outcome("ArchiveAgent", id=alfa)
        return desks[number % 2].outcome("SendMail", to=alfa, body="x")

    outcomes = at_once([partial(work, number) for number in range(SENDERS)])
    sent = outcomes.count("ok") - 1
    assert set(outcomes) <= {"ok", "RECIPIENT_ARCHIVED"}
    assert _numbers(stores[0], "received_number", alfa) == list(range(1, sent + 1))
    assert desks[0].outcome("SendMail", to=alfa, body="x") == "RECIPIENT_ARCHIVED"


def test_conflicting_writers_at_two_servers_all_finish(
    stores: Sequence[Store], clock: ManualClock
) -> None:
    desks = _desks(stores, clock, exchange=1_000, mailbox=1_000)
    ids = desks[0].agents("a", "b", "c")

    def work(number: int) -> Counter[str]:
        desk, one, other = desks[number % 2], ids[number % 3], ids[(number + 1) % 3]
        calls = (
            ("SendMail", one, {"to": other, "body": "x"}),
            ("ReadMail", other, {"limit": 1}),
            ("ListMail", one, {"id": other}),
            ("SetAgentState", one, {"id": one, "state": 1 + number % 2}),
            ("RaiseReviewActivity", "operator", {"agent_ids": ids, "review": "r", "file": "f"}),
            ("SendMail", "operator", {"to": one, "body": "x"}),
        )
        return Counter(
            desk.outcome(method, as_, **fields) for _ in range(5) for method, as_, fields in calls
        )

    outcomes = sum(at_once([partial(work, number) for number in range(6)]), Counter())
    assert outcomes == {"ok": 6 * 5 * 6}
