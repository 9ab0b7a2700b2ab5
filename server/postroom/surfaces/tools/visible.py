"""Text that somebody else wrote, shown so that it can only be read as their text.

Only what a reader sees is changed; the structured form stays as it was sent.
"""

import json
import re
from typing import Final

# Controls, and what is invisible or turns text around: soft hyphen, bidi marks,
# zero-width characters, separators, fillers, annotation marks, tags and the variation
# selectors that can carry data. Tab and line end are no danger behind a prefix.
_ACTIVE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SPEAKER: Final = "inst|sys|user\\b|assistant|human\\b|tool\\b"
# The sign that opens a tag, and what looks like it, before what a tag begins with: a
# letter, a slash, or the marks of chat templates such as <|im_start|> and <<SYS>>.
_OPENS_TAG: Final = re.compile(
    "([<\uff1c\ufe64\u2039\u3008\u27e8])"
    f"(?=[/|!?<\\\\\uff0f\uff1c\uff5c]|[^\\W\\d]|\\s+(?:[/|!?<\\\\]|{_SPEAKER}))",
    re.IGNORECASE,
)
# [INST], [/INST], [system] and so on, and what looks like a mark of our own frame.
_OPENS_MARK: Final = re.compile(
    f"([\\[\uff3b\u3010])(?=\\s*(?:[/\uff0f]?\\s*(?:{_SPEAKER})|[0-9a-f]{{8,}}\\s))", re.IGNORECASE
)
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/+-]*", re.ASCII)
_LAST_BYTE, _LAST_SHORT = 0xFF, 0xFFFF


def lines(text: str) -> list[str]:
    """The lines of a text, harmless each. Only a line end begins a new one."""
    return harmless(text.replace("\r\n", "\n")).split("\n")


def value(text: str) -> str:
    """A short value on one line: as it is when it is a plain word, else in quotes."""
    if _PLAIN.fullmatch(text):
        return text
    return harmless(json.dumps(text, ensure_ascii=False))


def harmless(text: str) -> str:
    """Show what acts or hides as an escape, and break what looks like a tag or a frame."""
    shown = _ACTIVE.sub(_escaped, text)
    return _OPENS_MARK.sub(_entity, _OPENS_TAG.sub(_entity, shown))


def _escaped(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number <= _LAST_BYTE:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= _LAST_SHORT else f"\\U{number:08x}"


def _entity(found: re.Match[str]) -> str:
    return "&lt;" if found[1] == "<" else f"&#{ord(found[1])};"
