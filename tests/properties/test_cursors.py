"""Cursors, whatever they are made of and however they are damaged."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postroom.errors import CursorInvalid
from postroom.page import Cursors

CURSORS = Cursors(bytes(range(32)))
NUMBERS = st.integers(0, 2**64 - 1)
PARTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
SCOPES = st.lists(PARTS, max_size=4).map(tuple)
steady = settings(derandomize=True, max_examples=200, deadline=None)


@steady
@given(NUMBERS, SCOPES)
def test_every_cursor_is_read_back(number: int, scope: tuple[str, ...]) -> None:
    assert CURSORS.read(CURSORS.write(number, *scope), *scope) == number


@steady
@given(NUMBERS, SCOPES, SCOPES)
def test_a_cursor_fits_its_own_scope_only(
    number: int, scope: tuple[str, ...], other: tuple[str, ...]
) -> None:
    cursor = CURSORS.write(number, *scope)
    if "\0".join(scope) != "\0".join(other):
        with pytest.raises(CursorInvalid):
            CURSORS.read(cursor, *other)


@steady
@given(NUMBERS, SCOPES, st.data())
def test_a_cursor_with_one_character_changed_is_refused(
    number: int, scope: tuple[str, ...], data: st.DataObject
) -> None:
    cursor = CURSORS.write(number, *scope)
    place = data.draw(st.integers(0, len(cursor) - 1))
    put = data.draw(st.characters(codec="utf-8").filter(lambda c: c != cursor[place]))
    with pytest.raises(CursorInvalid):
        CURSORS.read(cursor[:place] + put + cursor[place + 1 :], *scope)


@steady
@given(NUMBERS, SCOPES, st.data())
def test_a_cursor_that_is_longer_or_shorter_is_refused(
    number: int, scope: tuple[str, ...], data: st.DataObject
) -> None:
    cursor = CURSORS.write(number, *scope)
    cut = data.draw(st.integers(1, len(cursor) - 1))
    more = data.draw(st.text(min_size=1, max_size=8))
    for damaged in (cursor[:cut], cursor[cut:], cursor + more, more + cursor):
        with pytest.raises(CursorInvalid):
            CURSORS.read(damaged, *scope)


@steady
@given(st.text(min_size=1))
def test_no_text_from_elsewhere_is_a_cursor(text: str) -> None:
    with pytest.raises(CursorInvalid):
        CURSORS.read(text, "agt_1", "mail")


@steady
@given(NUMBERS, SCOPES, st.binary(min_size=1).filter(lambda key: key != CURSORS.key))
def test_a_cursor_of_another_key_is_refused(
    number: int, scope: tuple[str, ...], key: bytes
) -> None:
    with pytest.raises(CursorInvalid):
        CURSORS.read(Cursors(key).write(number, *scope), *scope)
