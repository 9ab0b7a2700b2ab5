"""Page sizes and cursors."""

import base64

import pytest

from postroom.errors import Code
from postroom.page import MAX_BYTES, Cursors, page_limit
from tests.room import refused

KEY = bytes(range(32))
CURSORS = Cursors(KEY)


@pytest.mark.parametrize(
    ("asked", "given"), [(0, 50), (1, 1), (50, 50), (199, 199), (200, 200), (201, 200)]
)
def test_a_page_has_50_rows_unless_asked_and_200_at_most(asked: int, given: int) -> None:
    assert page_limit(asked) == given


def test_a_page_may_weigh_3_mib() -> None:
    assert MAX_BYTES == 3 * 1024 * 1024


@pytest.mark.parametrize("number", [0, 1, 255, 256, 2**62, 2**64 - 1])
def test_a_cursor_gives_back_the_row_it_was_made_of(number: int) -> None:
    cursor = CURSORS.write(number, "agt_1", "mail", "agt_2", "SENT")
    assert CURSORS.read(cursor, "agt_1", "mail", "agt_2", "SENT") == number
    assert len(cursor) <= 2_048
    assert cursor.isascii()


def test_no_cursor_means_the_beginning() -> None:
    assert CURSORS.read("", "agt_1", "mail") is None


@pytest.mark.parametrize(
    "scope",
    [
        (),
        ("agt_1",),
        ("agt_1", "mail", "agt_2"),
        ("agt_1", "mail", "agt_2", "SENT", ""),
        ("agt_2", "mail", "agt_2", "SENT"),
        ("agt_1", "reads", "agt_2", "SENT"),
        ("agt_1", "mail", "agt_1", "SENT"),
        ("agt_1", "mail", "agt_2", "RECEIVED"),
        ("agt_1", "mailagt_2", "SENT"),
    ],
)
def test_a_cursor_fits_nothing_but_what_it_was_made_for(scope: tuple[str, ...]) -> None:
    cursor = CURSORS.write(7, "agt_1", "mail", "agt_2", "SENT")
    refusal = refused(lambda: CURSORS.read(cursor, *scope))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "CURSOR_INVALID")


def test_a_cursor_of_another_key_is_refused() -> None:
    cursor = Cursors(b"another").write(7, "agt_1")
    assert refused(lambda: CURSORS.read(cursor, "agt_1")).reason == "CURSOR_INVALID"


def _spellings(cursor: str) -> list[str]:
    packed = base64.urlsafe_b64decode(cursor)
    return [
        cursor + "=",
        cursor + "\n",
        " " + cursor,
        base64.b64encode(packed).decode(),
        packed.hex(),
        cursor[:-1],
        cursor[:4],
        base64.urlsafe_b64encode(packed[:8]).decode().rstrip("="),
        base64.urlsafe_b64encode(packed + b"\0").decode().rstrip("="),
        cursor[:-1] + chr(ord(cursor[-1]) ^ 1),
        cursor + "\N{SNOWMAN}",
        cursor * 2,
    ]


def test_another_spelling_of_a_cursor_is_refused() -> None:
    # A number whose encoding holds characters that the two alphabets spell differently.
    for number in range(64):
        cursor = CURSORS.write(number, "agt_1")
        if "-" in cursor or "_" in cursor:
            break
    for other in _spellings(cursor):
        assert other != cursor
        assert refused(lambda text=other: CURSORS.read(text, "agt_1")).reason == "CURSOR_INVALID"  # type: ignore[misc]
