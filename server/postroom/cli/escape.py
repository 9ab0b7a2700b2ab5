"""Text made harmless for a terminal: what acts or hides is shown as an escape."""

import re
from unicodedata import combining, east_asian_width

# Controls (tab and line end are handled by layout), surrogates, and what is
# invisible or turns text around: soft hyphen, bidi marks, zero-width characters,
# separators, fillers, annotation marks, tags, the variation selectors that can carry data.
_ACTIVE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_TAB = "    "
_LAST_BYTE, _LAST_SHORT = 0xFF, 0xFFFF


def block(text: str) -> str:
    """Escape text that may have several lines."""
    return _ACTIVE.sub(_escaped, text).replace("\t", _TAB)


def line(text: str) -> str:
    """Escape text that must stay on one line."""
    return block(text).replace("\n", "\\n")


def json(text: str) -> str:
    """Escape a JSON document; it stays the same document."""
    # Only strings can hold these, for outside of them they would not be JSON.
    return _ACTIVE.sub(_json_escaped, text)


def width(text: str) -> int:
    """How many columns escaped text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def _escaped(match: re.Match[str]) -> str:
    number = ord(match[0])
    if number <= _LAST_BYTE:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= _LAST_SHORT else f"\\U{number:08x}"


def _json_escaped(match: re.Match[str]) -> str:
    if match[0] == "\r":
        return "\r"
    # JSON writes what is beyond the first plane as two units of UTF-16.
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
