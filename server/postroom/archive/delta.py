"""A folder as its difference from a later one, in Git's form (gitformat-pack, deltas).

A folder mostly grows, so the earlier one is made of stretches of the later one.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_LONGEST_COPY, _LONGEST_INSERT = 0xFFFFFF, 0x7F


class Stretch(NamedTuple):
    """Bytes from `start` on, up to before `end`."""

    start: int
    end: int


def delta(size: int, pieces: Sequence[Stretch | bytes]) -> bytes:
    """How to make something of something else, of `size` bytes.

    It is put together from stretches of that other, and from bytes that are not in it.
    """
    made = sum(len(each) if isinstance(each, bytes) else each.end - each.start for each in pieces)
    return b"".join((_size(size), _size(made), *_commands(pieces)))


def _commands(pieces: Iterable[Stretch | bytes]) -> Iterator[bytes]:
    for piece in pieces:
        if isinstance(piece, bytes):
            for start in range(0, len(piece), _LONGEST_INSERT):
                some = piece[start : start + _LONGEST_INSERT]
                yield bytes((len(some),)) + some
        else:
            yield from _copies(piece)


def _copies(stretch: Stretch) -> Iterator[bytes]:
    for start in range(stretch.start, stretch.end, _LONGEST_COPY):
        size = min(stretch.end - start, _LONGEST_COPY)
        numbers = start.to_bytes(4, "little") + size.to_bytes(3, "little")
        used = [number for number in range(7) if numbers[number]]
        command = 0x80 | sum(1 << number for number in used)
        yield bytes((command, *(numbers[number] for number in used)))


def _size(number: int) -> bytes:
    """Seven bits at a time, the lowest first."""
    text = bytearray((number & 0x7F,))
    while number := number >> 7:
        text[-1] |= 0x80
        text.append(number & 0x7F)
    return bytes(text)
