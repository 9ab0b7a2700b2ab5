"""The name of an attachment: text to show, never a path to open."""

import re
import unicodedata

_LONGEST = 255
_UNNAMED = "image"


def display_name(text: str) -> str:
    """The last part of what the caller calls a file, without what cannot be shown."""
    last = re.split(r"[/\\]", text.rstrip("/\\"))[-1]
    shown = "".join(letter for letter in last if _can_be_shown(letter))
    return shown.strip()[:_LONGEST].strip() or _UNNAMED


def _can_be_shown(letter: str) -> bool:
    return letter == " " or unicodedata.category(letter)[0] not in "CZ"
