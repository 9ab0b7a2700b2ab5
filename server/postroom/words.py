"""Words: how text is searched, the same on every database (messages.md, Reading).

A text is a row of words: runs of letters, digits and marks, without regard to case. A
character of a script that is written without spaces is a word by itself. Everything
else separates words, so nothing that is typed can be a mistake.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Thai and Lao, Burmese, Khmer, kana, CJK ideographs with their extensions, and Hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Marks are among these, which no class of regular expressions tells apart.
_SIGN = r"[^\w\s\x00-\x7f]"
_WORD = re.compile(rf"[{_UNSPACED}]|(?:[^\W_{_UNSPACED}]|(?![{_UNSPACED}]){_SIGN})+")
_SIGNS = re.compile(_SIGN)
# To put marks in order takes time that grows with the square of how many there are.
_MANY_SIGNS = re.compile(rf"({_SIGN}{{30}}){_SIGN}+")
_TERM = re.compile(r'"(?P<phrase>[^"]*)"?(?P<more>\*?)|(?P<word>[^\s"]+)')
_LONGEST_WORD = 200
# To look for many words takes long, and any of them makes a snippet.
_MOST_SOUGHT = 10


class Term(NamedTuple):
    """Words that must stand beside each other; with `is_prefix` the last may go on."""

    words: tuple[str, ...]
    is_prefix: bool


def words(text: str) -> list[str]:
    """The words of a text, in order; of a very long one the first 200 characters."""
    composed = unicodedata.normalize("NFKC", _MANY_SIGNS.sub(r"\1", text))
    # Without its case a text may be composed anew.
    folded = unicodedata.normalize("NFKC", composed.casefold())
    return [word[:_LONGEST_WORD] for word in _WORD.findall(_SIGNS.sub(_mark, folded))]


def _mark(sign: re.Match[str]) -> str:
    return sign[0] if unicodedata.category(sign[0]).startswith("M") else " "


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
    begin = max(0, _first(line, wanted) - length // 3)
    shown = line[begin : begin + length]
    return ("…" if begin else "") + shown + ("…" if begin + length < len(line) else "")


def _first(line: str, wanted: Sequence[Term]) -> int:
    """Where the first of the words begins in a line, 0 when it is spelt in another way."""
    sought = [word for term in wanted for word in term.words][:_MOST_SOUGHT]
    if not sought:
        return 0
    spelt = "|".join(map(re.escape, sought))
    found = re.search(rf"(?:(?<!\w)|(?=[{_UNSPACED}]))(?:{spelt})", line, re.IGNORECASE)
    return found.start() if found else 0
