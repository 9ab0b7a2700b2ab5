"""CreateToken, ListTokens and RevokeToken, and what a token proves."""

from functools import partial

import pytest

from postroom.errors import Code
from postroom.ports import Session
from postroom.storage.store import Store
from postroom.token import Token
from tests.doubles import ManualClock
from tests.operations.tables import contents
from tests.room import Room, refused


@pytest.fixture
def alfa(room: Room) -> str:
    return room.agent("alfa").id


def code_and_reason(room: Room, method: str, as_: str, **fields: object) -> tuple[Code, str]:
    refusal = refused(partial(room.call, method, as_, **fields))
    return refusal.code, refusal.reason


def test_a_token_proves_its_agent_and_from_then_on_the_id_alone_does_not(
    room: Room, alfa: str
) -> None:
    assert room.received(alfa) == []
    made = room.call("CreateToken", agent_id=alfa, label="laptop")
    assert made.token.startswith(f"prt_{made.key_id}_")
    assert len(made.token) < 64
    assert made.expires_at == "2027-03-01T09:30:00.000000Z"
    room.send("", alfa, "for alfa")
    assert [mail.body for mail in room.received(made.token)] == ["for alfa"]
    assert code_and_reason(room, "ListMail", alfa) == (Code.UNAUTHENTICATED, "TOKEN_REQUIRED")


def test_once_proven_always_proven(room: Room, alfa: str) -> None:
    made = room.call("CreateToken", agent_id=alfa)
    room.call("RevokeToken", key_id=made.key_id)
    assert code_and_reason(room, "ListMail", alfa) == (Code.UNAUTHENTICATED, "TOKEN_REQUIRED")


def test_only_a_hash_is_stored(room: Room, store: Store, alfa: str) -> None:
    made = room.call("CreateToken", agent_id=alfa)
    secret = made.token[len(f"prt_{made.key_id}_") :]
    assert len(secret) == 43
    assert secret not in repr(contents(store))
    assert made.key_id in repr(contents(store))


def test_an_agent_has_two_live_tokens_at_most(room: Room, alfa: str, clock: ManualClock) -> None:
    first, _ = (room.call("CreateToken", agent_id=alfa) for _ in range(2))
    create = partial(code_and_reason, room, "CreateToken", "", agent_id=alfa)
    assert create() == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_TOKENS")
    room.call("RevokeToken", key_id=first.key_id)
    third = room.call("CreateToken", agent_id=alfa)
    assert room.received(third.token) == []
    assert create() == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_TOKENS")
    clock.advance(days=90)
    assert room.call("CreateToken", agent_id=alfa).token


def test_whatever_is_wrong_with_a_token_the_answer_is_the_same(
    room: Room, alfa: str, clock: ManualClock
) -> None:
    first, second = (room.call("CreateToken", agent_id=alfa) for _ in range(2))
    room.call("RevokeToken", key_id=first.key_id)
    bad = [
        first.token,
        f"{second.token[:-1]}{'A' if second.token[-1] != 'A' else 'B'}",
        f"prt_{'a' * 12}_{'A' * 43}",
        second.token.replace("prt_", "pro_"),
        "prt_",
        f"{second.token} ",
    ]
    told = {refused(partial(room.call, "ListMail", token)).message for token in bad[:-1]}
    clock.advance(days=90)
    told.add(refused(partial(room.call, "ListMail", second.token)).message)
    assert len(told) == 1
    assert code_and_reason(room, "ListMail", second.token)[1] == "TOKEN_INVALID"


def test_a_token_is_live_until_it_expires(room: Room, alfa: str, clock: ManualClock) -> None:
    token = room.call("CreateToken", agent_id=alfa).token
    clock.advance(days=90, seconds=-1)
    assert room.received(token) == []
    clock.advance(seconds=1)
    assert code_and_reason(room, "ListMail", token) == (Code.UNAUTHENTICATED, "TOKEN_INVALID")


def test_the_operators_token_is_the_operator(room: Room, alfa: str) -> None:
    token = room.call("CreateToken", agent_id="operator").token
    assert token.startswith("pro_")
    assert room.call("CreateToken", token, agent_id=alfa).token.startswith("prt_")
    assert room.call("ListTokens").tokens, "naming nobody is still the operator where it is trusted"


def test_an_archived_agent_gets_no_token_and_its_own_is_worthless(room: Room, alfa: str) -> None:
    token = room.call("CreateToken", agent_id=alfa).token
    room.call("ArchiveAgent", id=alfa)
    assert code_and_reason(room, "ListMail", token) == (Code.UNAUTHENTICATED, "CALLER_ARCHIVED")
    made = code_and_reason(room, "CreateToken", "", agent_id=alfa)
    assert made == (Code.FAILED_PRECONDITION, "AGENT_ARCHIVED")


@pytest.mark.parametrize("id", ["agt_nobody", "alfa", ""])
def test_a_token_is_for_an_agent_that_there_is(room: Room, alfa: str, id: str) -> None:
    assert alfa
    refusal = refused(partial(room.call, "CreateToken", agent_id=id))
    assert refusal.code in (Code.NOT_FOUND, Code.INVALID_ARGUMENT)


@pytest.mark.parametrize(
    ("method", "field"),
    [("CreateToken", "agent_id"), ("ListTokens", "agent_id"), ("RevokeToken", "key_id")],
)
def test_tokens_are_the_operators_business(
    room: Room, store: Store, alfa: str, method: str, field: str
) -> None:
    before = contents(store)
    told = code_and_reason(room, method, alfa, **{field: alfa})
    assert told == (Code.PERMISSION_DENIED, "OPERATOR_ONLY")
    assert contents(store) == before


def test_tokens_are_listed_oldest_first_in_pages_without_secrets(
    room: Room, alfa: str, clock: ManualClock
) -> None:
    bravo = room.agent("bravo").id
    made = [room.call("CreateToken", agent_id=id, label=id) for id in (alfa, bravo, alfa)]
    clock.advance(minutes=1)
    assert room.received(made[1].token) == []
    room.call("RevokeToken", key_id=made[0].key_id)
    page = room.call("ListTokens", pagination={"limit": 2})
    rest = room.call("ListTokens", pagination={"limit": 2, "cursor": page.next_page_token})
    found = [*page.tokens, *rest.tokens]
    assert [token.key_id for token in found] == [token.key_id for token in made]
    assert rest.next_page_token == ""
    assert [token.agent_id for token in found] == [alfa, bravo, alfa]
    assert found[0].revoked_at == "2026-12-01T09:31:00.000000Z"
    room.office.store.write(lambda session: session.workflows(after=0, limit=1))
    used = room.call("ListTokens", agent_id=bravo).tokens
    assert [token.last_used_at for token in used] == ["2026-12-01T09:31:00.000000Z"]
    assert all(one.token not in str(found) for one in made)


def test_revoking_is_for_good_and_may_be_repeated(
    room: Room, alfa: str, clock: ManualClock
) -> None:
    made = room.call("CreateToken", agent_id=alfa)
    first = room.call("RevokeToken", key_id=made.key_id).token
    clock.advance(hours=1)
    assert room.call("RevokeToken", key_id=made.key_id).token == first
    told = code_and_reason(room, "RevokeToken", "", key_id="nothing")
    assert told == (Code.NOT_FOUND, "TOKEN_NOT_FOUND")


def test_mail_may_not_carry_a_token(room: Room, store: Store, alfa: str) -> None:
    for token in (
        room.call("CreateToken", agent_id=alfa).token,
        room.call("CreateToken", agent_id="operator").token,
        f"prt_{'a' * 12}_{'A' * 43}",
    ):
        before = contents(store)
        refusal = refused(partial(room.call, "SendMail", to=alfa, body=f"use {token}!"))
        assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "BODY_CONTAINS_CREDENTIAL")
        assert [violation.field for violation in refusal.violations] == ["body"]
        assert token not in refusal.message
        assert contents(store) == before
    for text in ("prt_ and pro_", "prt_abcdefghijkl_short", "my prt_ token"):
        assert room.send("", alfa, text).body == text


def test_where_nobody_is_trusted_a_name_proves_nothing(
    store: Store, clock: ManualClock, room: Room, alfa: str
) -> None:
    closed = Room(store, clock, trusted=False)
    token = room.call("CreateToken", agent_id="operator").token
    for name in ("", alfa, "operator", "agt_nobody"):
        assert code_and_reason(closed, "ListMail", name)[1] == "TOKEN_REQUIRED"
    assert closed.call("GetAgent", token, id=alfa).agent.name == "alfa"
    closed.close()


def test_mailboxes_can_be_closed_to_other_agents(
    store: Store, clock: ManualClock, room: Room, alfa: str
) -> None:
    bravo = room.agent("bravo").id
    closed = Room(store, clock, foreign_reads=False)
    told = code_and_reason(closed, "ListMail", bravo, id=alfa)
    assert told == (Code.PERMISSION_DENIED, "FOREIGN_READS_OFF")
    assert not closed.call("ListMail", id=alfa).mail
    reads = closed.call("ListMailboxReads", alfa).reads
    assert [(read.reader_agent_id, read.reason) for read in reads] == [
        ("operator", ""),
        (bravo, "FOREIGN_READS_OFF"),
    ]
    closed.close()


def test_live_tokens_are_counted_behind_any_number_of_old_ones(
    room: Room, store: Store, alfa: str
) -> None:
    def add(session: Session) -> None:
        agent = session.agent(alfa)
        assert agent is not None
        for number in range(1_001):
            session.add_token(
                Token(
                    key_id=f"old{number:09d}",
                    secret_hash=bytes(32),
                    agent=agent.number,
                    agent_id=alfa,
                    label="",
                    created_at=0,
                    expires_at=1,
                )
            )

    store.write(add)
    for _ in range(2):
        room.call("CreateToken", agent_id=alfa)
    create = partial(code_and_reason, room, "CreateToken", "", agent_id=alfa)
    assert create() == (Code.RESOURCE_EXHAUSTED, "TOO_MANY_TOKENS")
