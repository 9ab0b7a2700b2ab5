"""Numbers between text and Python, with the exact limits of the wire types."""

import re
import struct
from decimal import Decimal
from math import copysign, inf, isinf, isnan
from typing import Any, Final

from postroom.rpc.protojson.document import Number
from postroom.rpc.protojson.refusal import Wrong, shown

_NUMBER = re.compile(r"(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?)0*(\d+))?", re.ASCII)
_PLAIN = re.compile(r"-?(?:0|[1-9]\d{0,19})", re.ASCII)
# No integer of the wire has more digits, and no double a larger exponent.
_MOST_DIGITS: Final = 20
_MOST_EXPONENT_DIGITS: Final = 4
_EXPONENT_FROM: Final = 1e21
_EXPONENT_BELOW: Final = 1e-6
_EXACT_INTEGERS: Final = 1e15
_SPECIAL: Final = {"NaN": float("nan"), "Infinity": inf, "-Infinity": -inf}


def integer(value: Any, low: int, high: int) -> int:
    """Read an integer from a JSON number or a number in quotes. Raises Wrong.

    A fraction of zeros and an exponent are fine as long as the value is whole.
    """
    found = _whole(value)
    if found is None or not low <= found <= high:
        raise Wrong(f"must be a whole number from {low} to {high}, not {shown(value)}")
    return found


def floating(value: Any, *, single: bool) -> float:
    """Read a float from a JSON number, a number in quotes, or a special word. Raises Wrong."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return in_range(float(value), value, single=single)
    if not isinstance(value, str):
        raise Wrong(f"must be a number, not {shown(value)}")
    if value in _SPECIAL and not isinstance(value, Number):
        return _SPECIAL[value]
    if not _NUMBER.fullmatch(value):
        raise Wrong(f"must be a number, not {shown(value)}")
    found = float(value)
    if isinf(found):
        raise Wrong(f"is out of range: {shown(value)}")
    return in_range(found, value, single=single)


def in_range(found: float, told: Any, *, single: bool) -> float:
    """Return the number, or raise Wrong if it does not fit into 32 bits and must."""
    if single:
        try:
            struct.pack("<f", found)
        except OverflowError:
            raise Wrong(f"is out of range of a 32-bit float: {shown(told)}") from None
    return found


def printed_double(value: float) -> str:
    """Return the shortest JSON number that reads back as this double."""
    return _printed(value, repr)


def printed_float(value: float) -> str:
    """Return the shortest JSON number that reads back as this 32-bit float."""
    return _printed(value, _shortest_single)


def _whole(value: Any) -> int | None:
    if isinstance(value, str):
        return int(value) if _PLAIN.fullmatch(value) else _whole_from_parts(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _whole_from_parts(text: str) -> int | None:
    found = _NUMBER.fullmatch(text)
    if not found:
        return None
    sign, whole, fraction, exponent_sign, exponent = found.groups("")
    if len(exponent) > _MOST_EXPONENT_DIGITS:
        return None if (whole + fraction).strip("0") else 0
    shift = int(exponent or 0) * (-1 if exponent_sign == "-" else 1)
    return _shifted(sign, whole + fraction, len(whole) + shift)


def _shifted(sign: str, digits: str, point: int) -> int | None:
    """Return the whole number that the digits make with the point there, None if it is none."""
    kept, rest = digits[: max(point, 0)], digits[max(point, 0) :]
    kept = kept.lstrip("0")
    if rest.strip("0"):
        return None
    missing = point - len(digits) if kept else 0
    if len(kept) + max(missing, 0) > _MOST_DIGITS:
        return None
    return int(sign + (kept or "0") + "0" * max(missing, 0))


def _printed(value: float, shortest: Any) -> str:
    if isnan(value):
        return '"NaN"'
    if isinf(value):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    size = abs(value)
    if size < _EXACT_INTEGERS and value == int(value):
        return str(int(value)) if value or copysign(1, value) > 0 else "-0"
    exact = Decimal(shortest(value)).normalize()
    if _EXPONENT_BELOW <= size < _EXPONENT_FROM:
        return format(exact, "f")
    digits = "".join(map(str, exact.as_tuple().digits))
    point = f".{digits[1:]}" if digits[1:] else ""
    return f"{'-' if value < 0 else ''}{digits[0]}{point}e{exact.adjusted():+d}"


def _shortest_single(value: float) -> str:
    packed = struct.pack("<f", value)
    for precision in range(1, 9):
        text = f"{value:.{precision}g}"
        try:
            if struct.pack("<f", float(text)) == packed:
                return text
        except OverflowError:
            continue
    return f"{value:.9g}"
