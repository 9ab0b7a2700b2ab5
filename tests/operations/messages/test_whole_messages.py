"""A message is stored whole or not at all: failures at every statement, and many senders."""

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from postroom.errors import Refusal
from postroom.office import Limits
from postroom.storage import open_store
from postroom.storage.database import Connection
from postroom.storage.store import Store
from tests.doubles import ManualClock
from tests.operations.messages.world import KEY, Project
from tests.operations.tables import contents, together
from tests.room import Room

RECIPIENTS = [f"r{number:02d}" for number in range(20)]
STORED = ("message", "participant", "mail", "outbox", "message_words")


class Fault(Exception):
    """What no operation expects."""


class Faults:
    """Lets the writer's statement with a certain number fail."""

    def __init__(self) -> None:
        self.count = 0
        self.at = 0

    def tick(self) -> None:
        """One more statement is about to run."""
        if threading.current_thread().name == "postroom-writer":
            self.count += 1
            if self.count == self.at:
                raise Fault(self.at)

    def around(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """The same method, counted."""

        def counted(*positional: Any, **named: Any) -> Any:
            self.tick()
            return real(*positional, **named)

        return counted


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    """Faults that can be switched on."""
    made = Faults()
    for name in ("run", "run_each", "query", "rows"):
        monkeypatch.setattr(Connection, name, made.around(getattr(Connection, name)))
    return made


def counts(store: Store) -> tuple[int, ...]:
    """How many rows there are of what a message consists of."""
    text = ", ".join(f"(SELECT COUNT(*) FROM {table})" for table in STORED)
    (row,) = store.connection.all(f"SELECT {text}")
    return tuple(row)


# What one message to 20 adds to each of these tables.
WHOLE = (1, 21, 20, 1, 1)


def test_p05_a_message_to_20_that_fails_at_any_statement_reaches_nobody(
    project: Project, store: Store, faults: Faults
) -> None:
    project.agents("alfa", *RECIPIENTS)
    fields = {"to": RECIPIENTS[:10], "cc": RECIPIENTS[10:15], "bcc": RECIPIENTS[15:]}
    asked: dict[str, Any] = fields | {
        "sender_name": "alfa",
        "subject": "s",
        "body_md": "b",
        "thread_id": "x",
    }
    before, failed, stored = contents(store), 0, 0
    faults.at = 1
    while True:
        faults.count = 0
        try:
            project.call("SendMessage", **asked)
        except Fault:
            failed += 1
        else:
            # A failure of what only finds out whom to lock is no failure of the call.
            stored += 1
        if faults.count < faults.at:
            break
        faults.at, at = 0, faults.at
        assert counts(store) == tuple(each * stored for each in WHOLE), at
        if not stored:
            assert at % 20 or contents(store) == before, at
        faults.at = at + 1
    # Far more than one: each statement that stores or checks something was tried.
    assert failed > 10
    assert stored < 20
    assert {len(project.ids(name)) for name in RECIPIENTS} == {stored}
    (thread,) = project.call("ListThreads", agent_name="r19").threads
    assert thread.message_count == stored


@pytest.fixture
def servers(room: Room, database_url: str, clock: ManualClock) -> Iterator[list[Room]]:
    """Two servers of one database, with small limits."""
    limits = Limits(exchange=7, mailbox=9)
    other = open_store(database_url, clock)
    rooms = [Room(store, clock, limits=limits) for store in (room.office.store, other)]
    yield rooms
    for each in rooms:
        each.close()
    other.close()


def test_32_senders_at_once_to_overlapping_recipients_pass_no_limit_and_store_no_half(
    project: Project, servers: list[Room], store: Store
) -> None:
    names = [f"a{number}" for number in range(8)]
    project.agents(*names)
    chance = random.Random(7)  # the same calls in each run
    outcomes: Counter[str] = Counter()
    for _ in range(3):
        calls = []
        for number in range(32):
            sender, *others = chance.sample(names, chance.randint(2, 7))
            fields: dict[str, Any] = {"to": others[:2], "cc": others[2:4], "bcc": others[4:]}
            if number % 8 == 7:
                fields = {"broadcast": True}
            asked = {"project_key": KEY, "sender_name": sender, "subject": "s", "body_md": "b"}
            calls.append(servers[number % 2].begin("SendMessage", **asked, **fields))
        for answer in together(project.room, calls):
            outcomes[answer.reason if isinstance(answer, Refusal) else type(answer).__name__] += 1
        for agent in project.call("ListProjectAgents").agents[:3]:
            project.room.call("ReadMail", agent.id)
    refusals = {"MAILBOX_FULL", "EXCHANGE_CAPPED", "NO_RECIPIENTS"}
    assert set(outcomes) <= {"SendMessageResponse", *refusals}
    assert outcomes["SendMessageResponse"] > 9
    assert outcomes.total() - outcomes["SendMessageResponse"] > 9
    _check_limits(store)
    _check_whole(store, outcomes["SendMessageResponse"])


def _check_limits(store: Store) -> None:
    ask = store.connection.all
    pairs = "SELECT MIN(sender, recipient), MAX(sender, recipient), COUNT(*)"
    if store.connection.dialect.has_tsvector:
        pairs = pairs.replace("MIN", "LEAST").replace("MAX", "GREATEST")
    counted = ask(f"{pairs} FROM mail WHERE kind = 1 GROUP BY 1, 2 ORDER BY 1, 2")
    assert counted == ask("SELECT low, high, mails FROM exchange ORDER BY low, high")
    assert max(mails for _, _, mails in counted) == 7
    waiting = ask(
        "SELECT recipient, COUNT(*) FROM mail WHERE kind = 1 AND claimed_at IS NULL "
        "GROUP BY recipient ORDER BY recipient"
    )
    assert max(count for _, count in waiting) == 9
    counters = ask("SELECT agent, waiting FROM mailbox WHERE waiting > 0 ORDER BY agent")
    assert counters == waiting
    capped = ask("SELECT COUNT(*) FROM mail WHERE kind = 3")[0][0]
    assert capped == 2 * sum(mails == 7 for _, _, mails in counted)


def _check_whole(store: Store, messages: int) -> None:
    ask = store.connection.all
    assert ask("SELECT COUNT(*) FROM message") == ask("SELECT COUNT(*) FROM message_words")
    assert ask("SELECT COUNT(*) FROM message") == ask("SELECT COUNT(*) FROM outbox")
    assert ask("SELECT COUNT(*) FROM message") == [(messages,)]
    alone = (
        "SELECT COUNT(*) FROM participant p LEFT JOIN mail m ON m.id = p.mail_id "
        "AND m.recipient = p.agent AND m.received_number = p.received_number "
        "WHERE (p.part > 0) <> (m.id IS NOT NULL)"
    )
    assert ask(alone) == [(0,)]
    copies = ask("SELECT COUNT(*) FROM participant WHERE part > 0")
    assert copies == ask("SELECT COUNT(*) FROM mail WHERE kind = 1")
    threads = ask("SELECT agent, SUM(messages) FROM thread GROUP BY agent ORDER BY agent")
    assert threads == ask("SELECT agent, COUNT(*) FROM participant GROUP BY agent ORDER BY agent")
    for side, owner in (("received_number", "recipient"), ("sent_number", "sender")):
        text = f"SELECT {owner}, MAX({side}), COUNT(*) FROM mail WHERE {owner} IS NOT NULL"
        assert all(most == count for _, most, count in ask(f"{text} GROUP BY {owner}"))


def test_one_request_id_at_two_servers_at_once_is_one_message(
    project: Project, servers: list[Room], store: Store
) -> None:
    project.agents("alfa", "bravo", "carol")
    asked = {"project_key": KEY, "sender_name": "alfa", "subject": "s", "body_md": "b"}
    calls = [
        servers[number % 2].begin("SendMessage", **asked, to=["bravo", "carol"], request_id="k")
        for number in range(16)
    ]
    answers = {answer.SerializeToString() for answer in together(project.room, calls)}
    assert len(answers) == 1
    assert store.connection.one("SELECT COUNT(*) FROM message") == (1,)


def test_agents_that_ask_each_other_at_once_get_one_notice_each(
    project: Project, servers: list[Room]
) -> None:
    agents = project.agents("alfa", "bravo", policy="contacts_only")
    pairs = (("alfa", "bravo"), ("bravo", "alfa"))
    calls = []
    for number in range(32):
        sender, to = pairs[number // 2 % 2]
        asked = {"project_key": KEY, "sender_name": sender, "subject": "s", "body_md": "b"}
        calls.append(servers[number % 2].begin("SendMessage", **asked, to=[to]))
    reasons = {answer.reason for answer in together(project.room, calls)}
    assert reasons == {"CONTACT_REQUIRED"}
    assert [len(project.requests(agent)) for agent in agents] == [1, 1]
    assert len(project.contacts("alfa")) == 2


def test_servers_that_make_one_project_and_agent_at_once_agree_on_them(
    room: Room, servers: list[Room]
) -> None:
    calls = [servers[n % 2].begin("EnsureProject", project_key="/new") for n in range(16)]
    assert len({answer.project.id for answer in together(room, calls)}) == 1
    asked = {"project_key": "/new", "name": "alfa"}
    calls = [servers[n % 2].begin("RegisterAgent", **asked, role=str(n)) for n in range(16)]
    assert len({answer.agent.id for answer in together(room, calls)}) == 1
    assert len(room.call("ListProjectAgents", project_key="/new").agents) == 1
    assert len(room.call("ListWorkflows").workflows) == 1
