"""Messages at one server and at two: within their limits, marked once, never refused for others."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from postroom.attachment import MEDIA_TYPE, Attachment, Mode, StoredFile
from postroom.enclosure import Enclosed
from postroom.office import Messaging
from postroom.storage.store import Store
from tests.conformance.callers import Desk, at_once
from tests.doubles import ManualClock

CALLS = 24
KEY = "/abs/path/backend"
Desks = Callable[..., Sequence["Project"]]


class Project:
    """The calls of one project at one server. The caller names nobody else than the sender."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.ids: dict[str, str] = {}
        desk.call("EnsureProject", project_key=KEY)

    def call(self, method: str, as_: str = "operator", **fields: Any) -> Any:
        """Answer a call of the project."""
        return self.desk.call(method, as_, **{"project_key": KEY} | fields)

    def outcome(self, method: str, as_: str = "operator", **fields: Any) -> str:
        """The reason that a call is refused with, or 'ok'."""
        return self.desk.outcome(method, as_, **{"project_key": KEY} | fields)

    def register(self, *names: str) -> None:
        """Make open agents."""
        for name in names:
            made = self.call("RegisterAgent", name=name, contact_policy="open").agent
            self.ids[name] = made.id

    def send(self, sender: str, *to: str, **fields: Any) -> str:
        """The outcome of a message."""
        given = {"sender_name": sender, "to": to, "subject": "s", "body_md": "b"} | fields
        return self.outcome("SendMessage", self.ids[sender], **given)

    def rows(self, text: str) -> list[Any]:
        """What the database holds."""
        return self.desk.store.connection.all(text)


@pytest.fixture(params=["one server", "two servers"])
def desks(request: pytest.FixtureRequest, store: Store, clock: ManualClock) -> Desks:
    """Opens the project at both servers, with limits if they are given."""
    is_one = request.param == "one server"
    other = store if is_one else request.getfixturevalue("other_store")

    def opened(messaging: Messaging | None = None, **limits: Any) -> Sequence[Project]:
        both = [
            Project(Desk(each, clock, messaging=messaging, **limits)) for each in (store, other)
        ]
        both[1].ids = both[0].ids
        return both

    return opened


def test_a_pair_shares_exactly_its_limit_of_messages_and_mail(desks: Desks) -> None:
    both = desks(exchange=10)
    both[0].register("alfa", "bravo", "carol")
    ids = both[0].ids

    def send(number: int) -> str:
        here, sender = both[number % 2], ("alfa", "bravo")[number // 2 % 2]
        to = "bravo" if sender == "alfa" else "alfa"
        if number % 5:
            return here.send(sender, to)
        return here.desk.outcome("SendMail", ids[sender], to=ids[to], body="x")

    outcomes = Counter(at_once([partial(send, number) for number in range(CALLS)]))
    assert outcomes == {"ok": 10, "EXCHANGE_CAPPED": CALLS - 10}
    assert both[0].rows("SELECT COUNT(*) FROM mail WHERE kind = 1") == [(10,)]
    assert both[0].rows("SELECT COUNT(*) FROM mail WHERE kind = 3") == [(2,)]


def test_marks_and_claims_at_once_keep_one_instant(desks: Desks, clock: ManualClock) -> None:
    both = desks()
    both[0].register("alfa", "bravo")
    bravo = both[0].ids["bravo"]
    assert both[0].send("alfa", "bravo") == "ok"
    ((id,),) = both[0].rows("SELECT id FROM message")

    def mark(number: int) -> str:
        clock.advance(seconds=1)
        here, fields = both[number % 2], {"agent_name": "bravo", "message_id": id}
        if number % 3 == 0:
            return "".join(m.claimed_at for m in here.desk.call("ReadMail", bravo).mail)
        if number % 3 == 1:
            return str(here.call("MarkMessageRead", bravo, **fields).read_at)
        return "a" + str(here.call("AcknowledgeMessage", bravo, **fields).acknowledged_at)

    told = set(at_once([partial(mark, number) for number in range(CALLS)])) - {""}
    assert sorted(text[:1] for text in told) == ["2", "a"]
    (shown,) = both[0].call("FetchInbox", bravo, agent_name="bravo").messages
    assert {shown.read_at, "a" + shown.acknowledged_at} == told
    assert both[0].rows("SELECT SUM(waiting) FROM mailbox") == [(0,)]


def test_the_daily_quota_of_an_agent_holds_at_all_servers_together(desks: Desks) -> None:
    both = desks(Messaging(daily_attachments=1_000))
    both[0].register("alfa", "bravo")

    def send(number: int) -> str:
        sha256 = f"{number:064d}"
        shown = Attachment(name="a", mode=Mode.FILE, sha256=sha256, bytes=100)
        file = StoredFile(sha256=sha256, media_type=MEDIA_TYPE, width=1, height=1, data=b"x" * 100)
        enclosed = Enclosed(body_md="b", attachments=(shown,), files=(file,))
        return both[number % 2].send("alfa", "bravo", enclosed=enclosed)

    outcomes = Counter(at_once([partial(send, number) for number in range(CALLS)]))
    assert outcomes == {"ok": 10, "ATTACHMENT_QUOTA": CALLS - 10}
    assert both[0].rows("SELECT COUNT(*) FROM file") == [(10,)]


def test_a_broadcast_is_never_refused_for_agents_that_come_and_go(desks: Desks) -> None:
    both = desks(mailbox=1_000)
    both[0].register("alfa", "bravo", *(f"a{number}" for number in range(8)))
    ids = dict(both[0].ids)

    def work(number: int) -> str:
        here = both[number % 2]
        if number % 3 == 0:
            return here.desk.outcome("ArchiveAgent", id=ids[f"a{number // 3}"])
        if number % 3 == 1:
            return here.outcome("RegisterAgent", name=f"b{number}", contact_policy="open")
        return here.send("alfa", broadcast=True)

    assert set(at_once([partial(work, number) for number in range(CALLS)])) == {"ok"}
    assert both[0].rows("SELECT COUNT(*) FROM message") == [(8,)]
    lost = "SELECT COUNT(*) FROM participant p LEFT JOIN mail m ON m.id = p.mail_id"
    assert both[0].rows(f"{lost} WHERE p.part > 0 AND m.id IS NULL") == [(0,)]
