"""Cursors of every list: whose they are, and what becomes of forged ones."""

from functools import partial
from typing import Any

import pytest

from postroom.errors import Code
from postroom.page import Cursors
from postroom.storage import open_store
from tests.doubles import ManualClock
from tests.room import Room, refused

SENT = "MAIL_DIRECTION_SENT"


@pytest.fixture
def pair(room: Room) -> tuple[str, str]:
    """Two agents who have both sent and received three mails."""
    alfa, bravo = room.agent("alfa").id, room.agent("bravo").id
    for _ in range(3):
        room.send(alfa, bravo)
        room.send(bravo, alfa)
    return alfa, bravo


def _token(room: Room, as_: str, method: str = "ListMail", **fields: Any) -> str:
    token: str = room.call(method, as_, pagination={"limit": 1}, **fields).next_page_token
    assert token
    return token


def _refusal_of(room: Room, as_: str, cursor: str, method: str = "ListMail", **fields: Any) -> str:
    call = partial(room.call, method, as_, pagination={"cursor": cursor}, **fields)
    refusal = refused(call)
    assert refusal.code is Code.INVALID_ARGUMENT
    assert [violation.field for violation in refusal.violations] == ["pagination.cursor"]
    return refusal.reason


@pytest.mark.parametrize(
    "cursor",
    [
        "zzz",
        "A",
        "=",
        "AAAA====",
        "\N{GRINNING FACE}",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "A" * 2_048,
        "+/+/",
        " ",
        "\n",
    ],
    ids=repr,
)
def test_c55_what_was_never_given_out_is_no_cursor(
    room: Room, pair: tuple[str, str], cursor: str
) -> None:
    assert _refusal_of(room, pair[0], cursor) == "CURSOR_INVALID"


def test_a_cursor_has_at_most_2048_characters(room: Room, pair: tuple[str, str]) -> None:
    assert _refusal_of(room, pair[0], "A" * 2_049) == "INVALID_FIELD"


def test_a_damaged_cursor_is_refused(room: Room, pair: tuple[str, str]) -> None:
    cursor = _token(room, pair[0])
    swapped = "B" if cursor[0] == "A" else "A"
    for damaged in (swapped + cursor[1:], cursor[:-1], cursor + "A", cursor + "==", cursor[::-1]):
        assert _refusal_of(room, pair[0], damaged) == "CURSOR_INVALID"


def test_a_cursor_signed_with_another_key_is_refused(room: Room, pair: tuple[str, str]) -> None:
    forged = Cursors(b"\1" * 32).write(2, pair[0], "mail", pair[0], "RECEIVED")
    real = Cursors(room.office.store.cursor_key).write(2, pair[0], "mail", pair[0], "RECEIVED")
    assert len(room.call("ListMail", pair[0], pagination={"cursor": real}).mail) == 1
    assert _refusal_of(room, pair[0], forged) == "CURSOR_INVALID"


def test_a_cursor_serves_its_own_caller_mailbox_and_direction_only(
    room: Room, pair: tuple[str, str]
) -> None:
    alfa, bravo = pair
    cursor = _token(room, alfa)
    for as_, fields in (
        (bravo, {}),
        (bravo, {"id": alfa}),
        ("", {"id": alfa}),
        (alfa, {"id": bravo}),
        (alfa, {"direction": SENT}),
    ):
        assert _refusal_of(room, as_, cursor, **fields) == "CURSOR_INVALID"
    for own in ({}, {"id": alfa}, {"direction": "MAIL_DIRECTION_RECEIVED"}):
        page = room.call("ListMail", alfa, pagination={"cursor": cursor, "limit": 1}, **own)
        assert len(page.mail) == 1


def test_a_cursor_of_one_list_fits_no_other_list(room: Room, pair: tuple[str, str]) -> None:
    alfa, bravo = pair
    for _ in range(2):
        room.call("ListMail", bravo, id=alfa)
    room.agent("carol", "other")
    tokens = {
        "ListMail": _token(room, alfa),
        "ListMailboxReads": _token(room, alfa, "ListMailboxReads"),
        "ListAgents": _token(room, alfa, "ListAgents"),
        "ListWorkflows": _token(room, alfa, "ListWorkflows"),
    }
    for method, own in tokens.items():
        for token in tokens.values():
            if token != own:
                assert _refusal_of(room, alfa, token, method) == "CURSOR_INVALID"
        room.call(method, alfa, pagination={"cursor": own})
        assert _refusal_of(room, bravo, own, method) == "CURSOR_INVALID"


def test_a_cursor_of_agents_is_bound_to_the_filters(room: Room, pair: tuple[str, str]) -> None:
    alfa, _ = pair
    room.agent("kid-1", parent_id=alfa)
    room.agent("kid-2", parent_id=alfa)
    cursor = _token(room, "", "ListAgents", parent_id=alfa)
    running = {"parent_id": alfa, "state": "AGENT_STATE_RUNNING"}
    for fields in ({}, {"workflow": "main"}, running, {"workflow": "main", "parent_id": alfa}):
        assert _refusal_of(room, "", cursor, "ListAgents", **fields) == "CURSOR_INVALID"


def test_a_refused_cursor_leaves_no_record_of_a_read(room: Room, pair: tuple[str, str]) -> None:
    alfa, bravo = pair
    _refusal_of(room, bravo, "zzz", id=alfa)
    assert not room.call("ListMailboxReads", alfa).reads


def test_servers_that_share_a_database_read_each_others_cursors(
    room: Room, pair: tuple[str, str], clock: ManualClock, database_url: str
) -> None:
    cursor = _token(room, pair[0])
    store = open_store(database_url, clock)
    other = Room(store, clock)
    assert len(other.call("ListMail", pair[0], pagination={"cursor": cursor}).mail) == 2
    other.close()
    store.close()
