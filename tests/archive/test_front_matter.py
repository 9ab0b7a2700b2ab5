"""Front matter: any reader of YAML reads what was written, and so do we."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from postroom.archive.frontmatter import Unreadable, read, written

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
# Keys are the program's own, and none of them is a word that YAML takes for something else.
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
keys = st.from_regex(r"[a-z][a-z0-9_]{0,10}", fullmatch=True).filter(lambda key: key not in _WORDS)
scalars = texts | st.integers(-(2**63), 2**63) | st.booleans() | st.none()
records = st.dictionaries(keys, scalars, min_size=1, max_size=4)
values = (
    scalars
    | st.lists(texts, max_size=4)
    | st.lists(records, max_size=3)
    | st.dictionaries(texts, texts, min_size=1, max_size=4)
)
facts = st.dictionaries(keys, values, min_size=1, max_size=8)


@given(facts, texts)
def test_what_was_written_is_read_back_and_the_body_byte_for_byte(
    given_facts: dict[str, Any], body: str
) -> None:
    content = written(given_facts, body)
    found, rest = read(content)
    assert found == given_facts
    assert rest == body
    assert content.endswith(body.encode())


@given(facts, texts)
def test_yaml_reads_the_same_and_keeps_the_order(given_facts: dict[str, Any], body: str) -> None:
    text = written(given_facts, body).decode()
    front = text.removeprefix("---\n").partition("\n---\n")[0]
    loaded = yaml.safe_load(front)
    assert loaded == given_facts
    assert list(loaded) == list(given_facts)


@pytest.mark.parametrize(
    "text",
    [
        "no", "yes", "null", "~", "1e3", "0x1F", "2026-12-01", "- a", "a: b", "#x", "'", '"', "\\",
        "---", "", " a ", "\n---\n", "\x85", "\u2028", "\ufeff", "\u202e", "é", "😀", "{a}",
        "!!int 3", "%TAG", "@a", "`a", "&a", "*a", "|", ">", "\x1b[31m", "\x7f", "\u200b",
    ],
)  # fmt: skip
def test_texts_that_yaml_would_take_for_something_else_stay_texts(text: str) -> None:
    content = written({"a": text, "b": [text], "c": {text: text}})
    front = content.decode().removeprefix("---\n").removesuffix("---\n")
    assert yaml.safe_load(front) == {"a": text, "b": [text], "c": {text: text}}
    assert read(content)[0] == {"a": text, "b": [text], "c": {text: text}}
    assert not any(character in front for character in "\x85\u2028\u202e\ufeff\x1b\x7f\u200b")


@pytest.mark.parametrize(
    "content",
    [
        b"", b"text", b"---\na: 1\n", b"---\n---\n", b"---\na: b\n---\n", b"---\na: 'b'\n---\n",
        b'---\na: "b\n---\n', b"---\na: [1]\n---\n", b"---\na: 1\na: 2\n---\n", b"---\na:\n---\n",
        b"---\na: 1\n  b: 2\n---\n", b'---\na:\n  - "b"\n    c: 1\n---\n', b"---\n\xff: 1\n---\n",
        b"---\na: 01\n---\n", b'---\na: "\\q"\n---\n', b"---\na:\n  - 1\n---\n",
    ],
)  # fmt: skip
def test_what_was_not_written_here_is_refused(content: bytes) -> None:
    with pytest.raises(Unreadable):
        read(content)
