"""ReadMail: waiting mail is handed out once, oldest first."""

import pytest

from agent.v1.agent_service_pb2 import ReadMailRequest
from agent.v1.mail_pb2 import MAIL_KIND_REVIEW_ACTIVITY
from postroom.errors import Code
from postroom.storage import open_store
from postroom.storage.store import Store
from tests.doubles import ManualClock
from tests.operations.tables import contents, together
from tests.room import Room, refused


@pytest.fixture
def alfa(room: Room) -> str:
    """An agent to whom the operator has sent five mails."""
    id = room.agent("alfa").id
    for number in range(1, 6):
        room.send("", id, str(number))
    return id


def test_mail_is_claimed_oldest_first_and_what_remains_is_counted(room: Room, alfa: str) -> None:
    for limit, bodies, remaining in ((2, "12", 3), (1, "3", 2), (9, "45", 0), (9, "", 0)):
        answer = room.call("ReadMail", alfa, limit=limit)
        assert [mail.body for mail in answer.mail] == [*bodies]
        assert answer.remaining == remaining
        assert room.call("GetAgent", id=alfa).agent.waiting == remaining


def test_claimed_at_is_set_once_and_for_all(room: Room, alfa: str, clock: ManualClock) -> None:
    clock.advance(seconds=1)
    (first,) = room.call("ReadMail", alfa, limit=1).mail
    assert first.claimed_at == "2026-12-01T09:30:01.000000Z"
    clock.advance(seconds=1)
    room.call("ReadMail", alfa)
    assert room.received(alfa)[-1] == first
    claimed = [mail.claimed_at[17:19] for mail in room.received(alfa)]
    assert claimed == ["02", "02", "02", "02", "01"]


def test_only_what_is_returned_is_claimed(room: Room, alfa: str) -> None:
    room.call("ReadMail", alfa, limit=2)
    assert [mail.HasField("claimed_at") for mail in room.received(alfa)] == [False] * 3 + [True] * 2


def test_reading_an_empty_mailbox_changes_nothing(room: Room, store: Store) -> None:
    alfa = room.agent("alfa").id
    before = contents(store)
    answer = room.call("ReadMail", alfa)
    assert (list(answer.mail), answer.remaining) == ([], 0)
    assert contents(store) == before


def test_the_page_has_the_bounds_of_a_list(room: Room) -> None:
    alfa = room.agent("alfa").id
    for limit, rows, remaining in ((0, 50, 150), (2**31 - 1, 150, 0)):
        if limit == 0:
            sends = (room.begin("SendMail", to=alfa, body=str(n)) for n in range(200))
            together(room, sends)
        answer = room.call("ReadMail", alfa, limit=limit)
        assert (len(answer.mail), answer.remaining) == (rows, remaining)
    together(room, (room.begin("SendMail", to=alfa, body=str(n)) for n in range(200)))
    room.call("RaiseReviewActivity", agent_ids=[alfa], review="r", file="f")
    answer = room.call("ReadMail", alfa, limit=201)
    assert (len(answer.mail), answer.remaining) == (200, 1)


def test_a_negative_limit_is_refused_and_claims_nothing(room: Room, alfa: str) -> None:
    refusal = refused(lambda: room.call("ReadMail", alfa, limit=-1))
    assert refusal.code is Code.INVALID_ARGUMENT
    assert [violation.field for violation in refusal.violations] == ["limit"]
    assert room.call("GetAgent", id=alfa).agent.waiting == 5


def test_readers_at_the_same_time_never_get_the_same_piece(room: Room, alfa: str) -> None:
    answers = together(room, (room.begin("ReadMail", alfa, limit=2) for _ in range(4)))
    taken = [mail.body for answer in answers for mail in answer.mail]
    assert sorted(taken) == ["1", "2", "3", "4", "5"]


def test_readers_at_two_servers_never_get_the_same_piece(
    room: Room, alfa: str, clock: ManualClock, database_url: str
) -> None:
    store = open_store(database_url, clock)
    other = Room(store, clock)
    taken = []
    for reader in (room, other, room, other, room):
        taken += [mail.body for mail in reader.call("ReadMail", alfa, limit=1).mail]
    assert taken == ["1", "2", "3", "4", "5"]
    other.close()
    store.close()


def test_nobody_can_claim_for_another_agent(room: Room, alfa: str) -> None:
    assert set(ReadMailRequest.DESCRIPTOR.fields_by_name) == {"limit", "request_id"}
    for other in (room.agent("bravo").id, "operator"):
        assert not room.call("ReadMail", other).mail
    assert room.call("GetAgent", id=alfa).agent.waiting == 5


def test_notices_are_read_and_counted_like_mail_in_their_place(room: Room, alfa: str) -> None:
    room.call("RaiseReviewActivity", agent_ids=[alfa], review="the parser", file="notes.md")
    room.send("", alfa, "6")
    assert room.call("GetAgent", id=alfa).agent.waiting == 7
    taken = room.call("ReadMail", alfa, limit=6)
    assert taken.remaining == 1
    assert taken.mail[-1].kind == MAIL_KIND_REVIEW_ACTIVITY


def test_mail_that_arrives_after_a_read_is_read_next(room: Room, alfa: str) -> None:
    room.call("ReadMail", alfa)
    room.send("", alfa, "6")
    answer = room.call("ReadMail", alfa)
    assert [mail.body for mail in answer.mail] == ["6"]


def test_a_dormant_agent_reads_its_mail(room: Room, alfa: str) -> None:
    room.call("SetAgentState", id=alfa, state="AGENT_STATE_DORMANT")
    assert len(room.call("ReadMail", alfa).mail) == 5
