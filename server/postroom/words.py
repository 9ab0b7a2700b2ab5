"""Words: how text is searched, the same on every database (messages.md, Reading).

A text is a row of words: runs of letters and digits, without regard to case. A
character of a script that is written without spaces is a word by itself. Everything
else separates words, so nothing that is typed can be a mistake.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Kana, CJK ideographs with their extensions, and Hangul.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_TERM = re.compile(r'"(?P<phrase>[^"]*)"?(?P<more>\*?)|(?P<word>[^\s"]+)')
_LONGEST_WORD = 200


class Term(NamedTuple):
    """Words that must stand beside each other; with `is_prefix` the last may go on."""

    words: tuple[str, ...]
    is_prefix: bool


def words(text: str) -> list[str]:
    """The words of a text, in order; of a very long one the first 200 characters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [word[:_LONGEST_WORD] for word in _WORD.findall(folded)]


def terms(query: str) -> Sequence[Term]:
    """What a query asks for: all of these must be found."""
    return list(_terms(query))


def _terms(query: str) -> Iterator[Term]:
    for match in _TERM.finditer(query):
        if match["word"] is not None:
            text, is_prefix = match["word"], match["word"].endswith("*")
        else:
            text, is_prefix = match["phrase"], bool(match["more"])
        if found := words(text):
            yield Term(tuple(found), is_prefix)


def snippet(text: str, wanted: Sequence[Term], length: int = 160) -> str:
    """The part of a text around the first word that was looked for, on one line."""
    line = " ".join(text.split())
    start = _first(line.casefold(), wanted)
    begin = max(0, start - length // 3)
    shown = line[begin : begin + length]
    return ("…" if begin else "") + shown + ("…" if begin + length < len(line) else "")


def _first(folded: str, wanted: Sequence[Term]) -> int:
    places = [folded.find(word) for term in wanted for word in term.words]
    return min((place for place in places if place >= 0), default=0)
