"""RaiseReviewActivity: notices for all agents named, or for none."""

from functools import partial
from typing import Any

import pytest

from agent.v1.mail_pb2 import MAIL_KIND_REVIEW_ACTIVITY, Mail
from postroom.errors import Code
from postroom.storage.store import Store
from tests.operations.tables import contents
from tests.room import Room, refused

REVIEW = {"review": "the parser, round 2", "file": "reviews/parser.md"}


def test_each_agent_named_gets_one_notice_that_names_the_file(room: Room) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo", "other")
    ids = [bravo.id, alfa.id, bravo.id]
    notices = list(room.call("RaiseReviewActivity", agent_ids=ids, **REVIEW).mail)
    assert [notice.to_agent_id for notice in notices] == [bravo.id, alfa.id]
    for notice, agent in zip(notices, (bravo, alfa), strict=True):
        assert room.received(agent.id) == [notice]
        assert notice == Mail(
            id=notice.id,
            from_name="postroom",
            to_agent_id=agent.id,
            body=notice.body,
            created_at="2026-12-01T09:30:00.000000Z",
            expires_at="2026-12-08T09:30:00.000000Z",
            kind=MAIL_KIND_REVIEW_ACTIVITY,
        )
        assert REVIEW["review"] in notice.body
        assert REVIEW["file"] in notice.body


def test_the_operator_alone_may(room: Room, store: Store) -> None:
    alfa = room.agent("alfa")
    before = contents(store)
    for ids in ([alfa.id], ["agt_none"]):
        call = partial(room.call, "RaiseReviewActivity", alfa.id, agent_ids=ids, **REVIEW)
        refusal = refused(call)
        assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "OPERATOR_ONLY")
    assert contents(store) == before


@pytest.mark.parametrize(
    ("bad", "code", "reason"),
    [
        ("agt_none", Code.NOT_FOUND, "AGENT_NOT_FOUND"),
        ("alfa", Code.NOT_FOUND, "AGENT_NOT_FOUND"),
        ("", Code.NOT_FOUND, "AGENT_NOT_FOUND"),
        ("gone", Code.FAILED_PRECONDITION, "RECIPIENT_ARCHIVED"),
    ],
)
def test_one_agent_that_cannot_be_told_keeps_all_from_being_told(
    room: Room, store: Store, bad: str, code: Code, reason: str
) -> None:
    alfa, gone = room.agent("alfa"), room.agent("gone")
    room.call("ArchiveAgent", id=gone.id)
    ids = [alfa.id, gone.id if bad == "gone" else bad]
    before = contents(store)
    refusal = refused(lambda: room.call("RaiseReviewActivity", agent_ids=ids, **REVIEW))
    assert (refusal.code, refusal.reason) == (code, reason)
    assert contents(store) == before


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({}, {"agent_ids", "review", "file"}),
        ({"agent_ids": ["x"] * 101, **REVIEW}, {"agent_ids"}),
        ({"agent_ids": ["x", "y\0"], **REVIEW}, {"agent_ids[1]"}),
        ({"agent_ids": ["x"], "review": "r" * 1001, "file": "f" * 4097}, {"review", "file"}),
    ],
)
def test_every_field_that_breaks_a_rule_is_named(
    room: Room, fields: dict[str, Any], named: set[str]
) -> None:
    refusal = refused(lambda: room.call("RaiseReviewActivity", **fields))
    assert refusal.code is Code.INVALID_ARGUMENT
    assert {violation.field for violation in refusal.violations} == named


def test_a_dormant_agent_and_the_operator_may_be_told(room: Room) -> None:
    nap = room.agent("nap", state="AGENT_STATE_DORMANT")
    ids = [nap.id, "operator"]
    assert len(room.call("RaiseReviewActivity", agent_ids=ids, **REVIEW).mail) == 2
    assert len(room.received("")) == 1
