"""SearchMessages: one grammar and the same results on every database."""

from functools import partial

import pytest

from tests.operations.messages.world import Project

TEXTS = {
    "plan": "Plan for /api/users: see the *diagram* below.",
    "quote": 'She said "don\'t panic" and left (at 10:30).',
    "code": "```python\nimport foo_bar  # TODO: x-ray\n```",
    "mixed": "STRASSE straße naïve ﬁle Å ½ \uff21\uff22\uff23",
    "decomposed": "cafe\N{COMBINING ACUTE ACCENT} résumé",
    "cjk": "日本語の全文検索は難しい。中文也一样。한국어 문장",
    "marks": "हिन्दी में लिखा हुआ पाठ; Ελληνικά κείμενο",
    "thai": "สวัสดีครับ ยินดีต้อนรับ",
    "emoji": "ship it \N{ROCKET}\N{ROCKET} now",
    "percent": "100% of 5_000 rows; C:\\temp\\new; a*b; it's",
}


@pytest.fixture
def library(project: Project) -> Project:
    """A message for each text."""
    project.agents("alfa", "bravo", "carol")
    for name, text in TEXTS.items():
        project.message("alfa", "bravo", thread_id=name, subject=name, body_md=text)
    return project


def names(project: Project, query: str, agent: str = "bravo") -> set[str]:
    """The subjects of what a search finds."""
    answer = project.call("SearchMessages", agent_name=agent, query=query)
    return {one.subject for one in answer.messages}


CASES: dict[str, set[str]] = {
    "diagram": {"plan"},
    "DIAGRAM": {"plan"},
    "see below": {"plan"},
    "see nothing": set(),
    "dia": set(),
    "dia*": {"plan"},
    "api users": {"plan"},
    "/api/users": {"plan"},
    "users/api": set(),
    '"for api"': {"plan"},
    '"api for"': set(),
    '"the dia"': set(),
    '"the dia"*': {"plan"},
    "don't": {"quote"},
    "don t": {"quote"},
    "t don": {"quote"},
    '"t don"': set(),
    "don't AND left": {"quote"},
    "left NOT panic": set(),
    "left -panic": {"quote"},
    "(left)": {"quote"},
    "left OR diagram": set(),
    "10:30": {"quote"},
    "foo_bar": {"code"},
    "foo": {"code"},
    "x-ray": {"code"},
    "ray-x": set(),
    "words:plan": set(),
    "subject:plan": set(),
    "plan^2": set(),
    "strasse": {"mixed"},
    "STRAßE": {"mixed"},
    "naive": set(),
    "NAÏVE": {"mixed"},
    "file": {"mixed"},
    "abc": {"mixed"},
    "\N{ANGSTROM SIGN}": {"mixed"},
    "caf\N{LATIN SMALL LETTER E WITH ACUTE}": {"decomposed"},
    "CAFE\N{COMBINING ACUTE ACCENT}": {"decomposed"},
    "cafe": set(),
    "caf*": {"decomposed"},
    "日本語": {"cjk"},
    "本語の全": {"cjk"},
    "語日": set(),
    "検*": {"cjk"},
    "全文検*": {"cjk"},
    "日 中": {"cjk"},
    "국어": {"cjk"},
    "हिन्दी": {"marks"},
    "हिन्द*": {"marks"},
    "हन्दी": set(),
    "ΕΛΛΗΝΙΚΆ": {"marks"},
    "ελληνικα": set(),
    "ต้อนรับ": {"thai"},
    "ครับ": {"thai"},
    "บครั": set(),
    "\N{ROCKET}": set(),
    "ship \N{ROCKET} now": {"emoji"},
    "100%": {"percent"},
    "5_000": {"percent"},
    "C:\\temp": {"percent"},
    "a*b": {"percent"},
    "'; DROP TABLE message; --": set(),
    "it's": {"percent"},
    "*": set(),
    '"': set(),
    '""': set(),
    '"unclosed plan': set(),
    '"for api': {"plan"},
    "' ' ' '": set(),
    "\\ & | ! : < > ( ) - ^ ~": set(),
    "plan \\ & | ! <-> ( ) - ^ ~ {} []": {"plan"},
    "  plan  \n\t diagram ": {"plan"},
    "NEAR(see below)": set(),
    "plan plan PLAN": {"plan"},
    "\x01 plan": {"plan"},
}


def test_the_grammar_finds_what_it_says_and_nothing_is_a_mistake(library: Project) -> None:
    wrong = {
        query: found
        for query, expected in CASES.items()
        if (found := names(library, query)) != expected
    }
    assert wrong == {}


def test_the_subject_is_searched_too_and_words_may_stand_in_either(library: Project) -> None:
    assert names(library, "emoji ship") == {"emoji"}
    assert names(library, '"emoji ship"') == {"emoji"}


def test_only_what_the_agent_sent_or_got_is_found(library: Project) -> None:
    assert names(library, "diagram", "alfa") == {"plan"}
    assert names(library, "diagram", "carol") == set()
    library.send("alfa", bcc=["carol"], subject="hidden", body_md="diagram")
    assert names(library, "diagram", "carol") == {"hidden"}
    assert names(library, "diagram", "bravo") == {"plan"}
    for word in ("p1", "p2", "p3", "carol", "bravo"):
        assert names(library, word) == set()


def test_an_agent_whose_number_begins_like_anothers_is_not_taken_for_it(project: Project) -> None:
    agents = project.agents(*(f"a{number}" for number in range(15)))
    project.send("a13", "a14", body_md="needle")
    for agent in agents:
        expected = 1 if agent.name in ("a13", "a14") else 0
        assert len(project.found(agent.name, "needle")) == expected


@pytest.mark.parametrize("count", [500, 250])
def test_a_query_may_have_500_terms(library: Project, count: int) -> None:
    letters = [chr(0x4E00 + number) for number in range(count)]
    text = " ".join(letters)
    sent = library.message("alfa", "bravo", body_md=text)
    assert len(text) < 1_000
    assert library.found("bravo", text) == [sent.id]
    assert library.found("bravo", f'"{text[:990]}"') == [sent.id]
    assert library.found("bravo", "".join(letters)) == [sent.id]
    assert library.found("bravo", text.replace(letters[7], "\N{CJK UNIFIED IDEOGRAPH-9FA5}")) == []


def test_a_query_has_1_to_1000_characters(library: Project) -> None:
    assert names(library, "x" * 1_000) == names(library, "plan " * 200) - {"plan"} == set()
    for query in ("", "x" * 1_001, "a\0b"):
        refusal = library.refusal(partial(names, library, query))
        assert [violation.field for violation in refusal.violations] == ["query"]


def test_a_very_long_word_is_known_by_its_first_200_characters(library: Project) -> None:
    sent = library.message("alfa", "bravo", body_md="ä" * 120_000)
    assert library.found("bravo", "Ä" * 200) == library.found("bravo", "ä" * 900) == [sent.id]
    assert library.found("bravo", "ä" * 199) == []
    assert library.found("bravo", "ä" * 10 + "*") == [sent.id]


BODIES = {
    "different words": " ".join(f"{number:04x}" for number in range(52_000)),
    "different characters": "".join(chr(0x20000 + n % 40_000) for n in range(65_000)),
    "one word": "the " * 65_000,
    "one character": "的" * 87_000,
    "words that grow": "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 87_000,
    "one row of marks": "a" + "\N{COMBINING GRAVE ACCENT}\N{COMBINING GRAVE ACCENT BELOW}" * 65_000,
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_of_256_kib_is_found_by_its_words_to_the_end(project: Project, kind: str) -> None:
    project.agents("alfa", "bravo")
    body = BODIES[kind][: 262_000 // max(len(char.encode()) for char in BODIES[kind][:9])]
    sent = project.message("alfa", "bravo", subject="first words", body_md=f"{body} last line")
    if kind != "words that grow":
        for query in ("last", '"last line"', "lin*", '"last li"*'):
            assert project.found("bravo", query) == [sent.id], query
    for query in ('"first words"', "wor*"):
        assert project.found("bravo", query) == [sent.id], query
    for query in ('"line last"', "nothing", '"first last"'):
        assert project.found("bravo", query) == [], query


def test_a_phrase_of_frequent_words_is_found_where_it_stands(project: Project) -> None:
    project.agents("alfa", "bravo")
    body = "the cat and the dog " * 5_000 + "the end of the dog cat"
    sent = project.message("alfa", "bravo", body_md=body)
    for query in ('"the end"', '"end of the dog cat"', '"the do"*', "the"):
        assert project.found("bravo", query) == [sent.id], query
    assert project.found("bravo", '"cat dog"') == []


def test_a_snippet_shows_the_words_and_no_body_comes_with_it(library: Project) -> None:
    body = "x" * 400 + "\nsome *context* around\tthe needle in it " + "y" * 400
    library.message("alfa", "bravo", body_md=body)
    (one,) = library.call("SearchMessages", agent_name="bravo", query="NEEDLE").messages
    assert one.body_md == ""
    assert "the needle in it" in one.snippet
    assert "\n" not in one.snippet
    assert len(one.snippet) <= 162


def test_what_was_found_is_newest_first(library: Project) -> None:
    sent = [library.message("alfa", "bravo", body_md=f"needle {n}").id for n in range(5)]
    assert library.found("bravo", "needle") == sent[::-1]
