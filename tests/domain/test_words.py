"""Words: what is a word, what a query asks for, and what a snippet shows."""

import pytest

from postroom.words import Term, snippet, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n.,;-_*\"'\\", []),
        ("Hello, WORLD!", ["hello", "world"]),
        ("foo_bar x-ray a.b/c", ["foo", "bar", "x", "ray", "a", "b", "c"]),
        ("don't 10:30 5_000", ["don", "t", "10", "30", "5", "000"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("cafe\N{COMBINING ACUTE ACCENT}", ["caf\N{LATIN SMALL LETTER E WITH ACUTE}"]),
        ("\N{LATIN SMALL LIGATURE FI}le \N{VULGAR FRACTION ONE HALF}", ["file", "1", "2"]),
        ("日本語 abc文", ["日", "本", "語", "abc", "文"]),
        ("カタ・カナ ﾊﾝ", ["カ", "タ", "カ", "ナ", "ハ", "ン"]),
        ("한국어", ["한", "국", "어"]),
        ("ไทย", ["ไ", "ท", "ย"]),
        ("हिन्दी की", ["हिन्दी", "की"]),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("a\N{ROCKET}b\N{EM DASH}c\N{NO-BREAK SPACE}d", ["a", "b", "c", "d"]),
        ("x" * 300, ["x" * 200]),
        ("\N{MATHEMATICAL BOLD CAPITAL A}\N{CIRCLED DIGIT TWO}", ["a2"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_row_of_marks_is_cut_and_takes_no_long_time() -> None:
    marks = "\N{COMBINING GRAVE ACCENT}\N{COMBINING GRAVE ACCENT BELOW}"
    (word, last) = words(f"a{marks * 60_000} b")
    assert (len(word) < 40, last) == (True, "b")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", []),
        ("*", []),
        ('"" "*"', []),
        ("plan", [(("plan",), False)]),
        ("Plan me", [(("plan",), False), (("me",), False)]),
        ("pla*", [(("pla",), True)]),
        ("pla**", [(("pla",), True)]),
        ("a*b", [(("a", "b"), False)]),
        ("/api/users", [(("api", "users"), False)]),
        ('"the plan"', [(("the", "plan"), False)]),
        ('"the pla"*', [(("the", "pla"), True)]),
        ('"the pla*"', [(("the", "pla"), False)]),
        ('a"b c"d', [(("a",), False), (("b", "c"), False), (("d",), False)]),
        ('"not closed', [(("not", "closed"), False)]),
        ("NOT a OR (b)", [((word,), False) for word in ("not", "a", "or", "b")]),
        ("日本*", [(("日", "本"), True)]),
    ],
)
def test_terms(query: str, expected: list[tuple[tuple[str, ...], bool]]) -> None:
    assert terms(query) == [Term(*each) for each in expected]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("one two three", "two", "one two three"),
        ("one\n\ttwo", "two", "one two"),
        ("a " * 20 + "needle " + "b " * 20, "NEEDLE", "…a a a needle b b b b…"),
        ("\N{LATIN SMALL LETTER SHARP S}" * 30 + " needle", "needle", "…ßßßßß needle"),
        ("heart and art of it all around", "art", "…t and art of it all …"),
        ("what was found is spelt otherwise", "STRASSE", "what was found is sp…"),
        ("no words", "*", "no words"),
        ("", "x", ""),
    ],
)
def test_a_snippet_is_around_the_first_word(text: str, query: str, expected: str) -> None:
    assert snippet(text, terms(query), 20).replace("…", "") in " ".join(text.split())
    assert snippet(text, terms(query), 20) == expected
