"""The text forms of numbers, booleans, bytes and durations in paths and queries.

They are those of Go's conversions, which is what clients of a gateway expect.
"""

import re
from binascii import a2b_base64
from math import inf, isinf
from typing import Final

_TRUE: Final = frozenset(("1", "t", "T", "true", "True", "TRUE"))
_FALSE: Final = frozenset(("0", "f", "F", "false", "False", "FALSE"))

_DECIMAL = re.compile(r"[+-]?[0-9]+")
_WITH_BASE = re.compile(
    r"[+-]?(?:0[xX](_?[0-9a-fA-F])+|0[bB](_?[01])+|0[oO](_?[0-7])+|0(_?[0-7])*|[1-9](_?[0-9])*)"
)
_FLOAT = re.compile(
    r"[+-]?(?:inf|infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)|nan", re.IGNORECASE | re.ASCII
)
_HEX = re.compile(r"[+-]?0[xX]")
_HEX_FLOAT = re.compile(
    r"[+-]?0x(?:[0-9a-f]+(?:\.[0-9a-f]*)?|\.[0-9a-f]+)p[+-]?\d+", re.IGNORECASE | re.ASCII
)
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_URL_SAFE = re.compile(_BASE64.pattern.replace("+/", "_-"))
_DURATION = re.compile(
    r"([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)", re.ASCII
)
_PART = re.compile(r"(\d*)\.?(\d*)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)", re.ASCII)
_NANOSECONDS: Final = {
    "ns": 1,
    "us": 1_000,
    "\u00b5s": 1_000,
    "\u03bcs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_LONGEST: Final = 2**63
_MOST_DIGITS: Final = 100


def decimal(text: str, low: int, high: int) -> int:
    """Read a whole number in base 10. Raises ValueError."""
    return _whole(text, _DECIMAL, 10, low, high)


def with_base(text: str, low: int, high: int) -> int:
    """Read a whole number with Go's prefixes: 0x1f, 0o7, 017, 0b1, 1_000. Raises ValueError."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text.removeprefix("+"))
    if re.fullmatch(r"0(_?[0-7])+", digits):
        text = f"{sign}0o{digits[1:].removeprefix('_')}"
    return _whole(text, _WITH_BASE, 0, low, high)


def boolean(text: str) -> bool:
    """Read one of the words for true and false. Raises ValueError."""
    if text not in _TRUE | _FALSE:
        raise ValueError(f'"{text}" is not a boolean; use true or false')
    return text in _TRUE


def floating(text: str) -> float:
    """Read a float, decimal or hexadecimal, or inf or nan. Raises ValueError."""
    between = r"(?<=[xX0-9a-fA-F])_(?=[0-9a-fA-F])" if _HEX.match(text) else r"(?<=\d)_(?=\d)"
    plain = re.sub(between, "", text)
    try:
        found = float.fromhex(plain) if _HEX_FLOAT.fullmatch(plain) else _decimal_float(plain)
    except OverflowError:
        found = inf
    except ValueError:
        raise ValueError(f'"{text}" is not a number') from None
    if isinf(found) and any(character.isdigit() for character in text):
        raise ValueError(f'"{text}" is out of range')
    return found


def binary(text: str) -> bytes:
    """Read padded base64, standard or URL-safe; line breaks do not count. Raises ValueError."""
    text = text.replace("\r", "").replace("\n", "")
    if set("-_") & set(text):
        found = _URL_SAFE.fullmatch(text)
        text = text.replace("-", "+").replace("_", "/")
    else:
        found = _BASE64.fullmatch(text)
    if not found:
        raise ValueError(f'"{text}" is not base64 with its padding')
    return a2b_base64(text)


def duration(text: str) -> tuple[int, int]:
    """Read units such as 1h2m or 1.5s; return seconds and nanoseconds. Raises ValueError."""
    found = _DURATION.fullmatch(text)
    if text.lstrip("+-") == "0" and len(text) <= len("+0"):
        return 0, 0
    if not found or len(text) > _MOST_DIGITS:
        raise ValueError(f'"{text}" is not a duration; write units, such as 1.5s or 2m30s')
    total = sum(_nanoseconds(*part) for part in _PART.findall(found[2]))
    if total >= _LONGEST:
        raise ValueError(f'"{text}" is too long; at most 292 years are allowed')
    seconds, nanos = divmod(total, 1_000_000_000)
    return (-seconds, -nanos) if found[1] == "-" else (seconds, nanos)


def _decimal_float(text: str) -> float:
    if not _FLOAT.fullmatch(text):
        raise ValueError
    return float(text)


def _nanoseconds(whole: str, fraction: str, unit: str) -> int:
    size = _NANOSECONDS[unit]
    return int(whole or 0) * size + int(fraction or 0) * size // int(10 ** len(fraction))


def _whole(text: str, grammar: re.Pattern[str], base: int, low: int, high: int) -> int:
    unsigned = low == 0
    if not grammar.fullmatch(text) or len(text) > _MOST_DIGITS or (unsigned and text[0] in "+-"):
        raise ValueError(f'"{text}" is not a whole number from {low} to {high}')
    found = int(text, base)
    if not low <= found <= high:
        raise ValueError(f'"{text}" is out of range; it must be from {low} to {high}')
    return found
