"""Stored mail joined to responses, and what fits on a page."""

import pytest

from agent.v1.agent_service_pb2 import ListMailResponse, ReadMailResponse
from agent.v1.mail_pb2 import MAIL_KIND_PLAIN
from agent.v1.mail_pb2 import Mail as MailMessage
from postroom.mail import Mail, MailKind, Piece
from postroom.page import MAX_BYTES
from postroom.rpc.messages import fitting, mail_list, mail_message, read_mail
from tests.doubles import START

CLAIMED = "2026-12-01T09:30:00.000000Z"


def _mail(body: str) -> MailMessage:
    return mail_message(
        Mail(
            id="mail_1",
            sender=1,
            from_agent_id="agt_1",
            from_name="alfa",
            recipient=2,
            to_agent_id="agt_2",
            body=body,
            reply_to=None,
            created_at=START,
            expires_at=START,
            kind=MailKind.PLAIN,
        )
    )


@pytest.mark.parametrize("length", [0, 1, 20, 90, 100, 127, 128, 16_000, 16_383, 16_384, 2_100_000])
def test_stored_mail_is_joined_to_the_response_that_holds_it(length: int) -> None:
    message = _mail("x" * length)
    wire = message.SerializeToString()
    pieces: list[Piece] = [(1, wire, None, 0), (2, wire, START, 0), (3, wire, None, 0)]
    claimed = MailMessage()
    claimed.CopyFrom(message)
    claimed.claimed_at = CLAIMED
    expected = [message, claimed, message]
    listed = ListMailResponse.FromString(mail_list(pieces, "next"))
    assert listed == ListMailResponse(mail=expected, next_page_token="next")
    assert ReadMailResponse.FromString(read_mail(pieces, 300)) == ReadMailResponse(
        mail=expected, remaining=300
    )


def test_no_pieces_are_an_empty_response() -> None:
    assert (mail_list([], ""), read_mail([], 0)) == (b"", b"")
    assert ReadMailResponse.FromString(read_mail([], 1)).remaining == 1


def test_a_notice_has_no_sender() -> None:
    notice = mail_message(
        Mail(
            id="mail_1",
            sender=None,
            from_agent_id=None,
            from_name="postroom",
            recipient=2,
            to_agent_id="agt_2",
            body="x",
            reply_to="mail_0",
            created_at=START,
            expires_at=START,
            kind=MailKind.EXCHANGE_CAPPED,
        )
    )
    assert not notice.HasField("from_agent_id")
    assert notice.reply_to == "mail_0"
    assert notice.kind != MAIL_KIND_PLAIN


def _pieces(*sizes: int) -> list[Piece]:
    return [(number, b"x" * size, None, 0) for number, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "limit", "count"),
    [
        ([], 5, 0),
        ([10] * 9, 5, 5),
        ([10] * 4, 5, 4),
        ([MAX_BYTES * 2], 5, 1),
        ([MAX_BYTES * 2, 1], 5, 1),
        ([1, MAX_BYTES * 2], 5, 1),
        ([MAX_BYTES // 3] * 4, 5, 2),
        ([MAX_BYTES // 2 - 40] * 4, 5, 2),
        ([MAX_BYTES // 2 - 39] * 4, 5, 1),
    ],
)
def test_a_page_ends_before_its_bytes_or_its_rows_run_out_and_holds_at_least_one(
    sizes: list[int], limit: int, count: int
) -> None:
    assert len(fitting(_pieces(*sizes), limit)) == count


def test_a_full_page_of_claimed_mail_stays_within_its_bytes() -> None:
    wire = _mail("x" * 9_800).SerializeToString()
    pieces: list[Piece] = [(number, wire, START, 0) for number in range(400)]
    page = mail_list(fitting(pieces, 400), "x" * 32)
    assert MAX_BYTES - 2 * len(wire) < len(page) <= MAX_BYTES
