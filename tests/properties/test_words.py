"""Any text and any query: a search is never wrong, and finds what was written."""

import itertools

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from postroom.words import Term, snippet, terms, words
from tests.operations.messages.world import Project
from tests.room import Room

# What a message can hold: everything but NUL and half a surrogate pair.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXT = st.text(CHARACTERS, max_size=60)
NASTY = st.text(st.sampled_from("ab \"*'():^-+{}[]\\&|!<>%_?@~日本\u0301\u0345ßİﬁ़ि"), max_size=40)
_examples = itertools.count()

FAST = settings(derandomize=True, max_examples=300, deadline=None)
SLOW = settings(
    derandomize=True,
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@FAST
@given(st.one_of(TEXT, NASTY))
def test_words_hold_nothing_that_a_query_or_an_index_could_mistake(text: str) -> None:
    for word in words(text):
        assert word
        assert len(word) <= 200
        assert not set(word) & set(" \t\r\n\"'*\\:()<>&|!@_%?\0\x1f\x7f")
        assert word.split() == [word]


@FAST
@given(st.one_of(TEXT, NASTY), st.one_of(TEXT, NASTY))
def test_words_of_two_texts_are_those_of_each(one: str, other: str) -> None:
    assert words(f"{one} {other}") == words(one) + words(other)


@FAST
@given(st.one_of(TEXT, NASTY))
def test_words_are_the_same_in_every_case(text: str) -> None:
    # A few letters change their number with their case, and then a mark may move.
    assume(text.casefold() == text.upper().casefold())
    assert words(text) == words(text.upper()) == words(text.casefold())


@FAST
@given(st.one_of(TEXT, NASTY))
def test_a_text_without_quotes_and_stars_asks_for_its_own_words(text: str) -> None:
    assume(not set(text) & set('"*'))
    found = terms(text)
    assert [word for term in found for word in term.words] == words(text)
    assert not any(term.is_prefix for term in found)


@FAST
@given(st.one_of(TEXT, NASTY), st.booleans())
def test_a_phrase_is_one_term(text: str, more: bool) -> None:
    assume('"' not in text)
    expected = [Term(tuple(words(text)), more)] if words(text) else []
    assert list(terms(f'"{text}"{"*" * more}')) == expected


@FAST
@given(st.one_of(TEXT, NASTY), st.one_of(TEXT, NASTY))
def test_a_snippet_is_a_short_line_of_the_text(text: str, query: str) -> None:
    shown = snippet(text, terms(query), 20)
    assert len(shown) <= 22
    assert shown.strip("…") in " ".join(text.split()) or "…" in text


@SLOW
@given(st.one_of(TEXT, NASTY), st.one_of(TEXT, NASTY))
def test_a_search_finds_a_message_exactly_when_its_words_say_so(
    small_room: Room, body: str, query: str
) -> None:
    assume(body.strip())
    mark = f"mark{next(_examples)}"
    project = Project(small_room, "/words")
    project.agents("alfa", mark)
    sent = project.message("alfa", mark, subject=mark, body_md=body)
    small_room.call("ReadMail", small_room.call("GetAgent").agent.id)
    for asked in (query, body, f'"{body}"', f"{body[: len(body) // 2]}*"):
        given = asked.replace('"', " ") if asked is not query else asked
        if given:
            expected = [sent.id] if _holds(f"{mark}\n{body}", given) else []
            assert project.found(mark, given) == expected


def _holds(text: str, query: str) -> bool:
    """Whether a text has all terms of a query, said plainly."""
    wanted = terms(query)
    row = f" {' '.join(words(text))} "
    return bool(wanted) and all(
        f" {' '.join(term.words)}{'' if term.is_prefix else ' '}" in row for term in wanted
    )
