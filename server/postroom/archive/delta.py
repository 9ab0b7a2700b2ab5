"""A folder as its difference from an earlier one, in Git's form (gitformat-pack, deltas).

The folder of a month only grows, so what differs is one stretch between a beginning and an
end that are the same.
"""

from collections.abc import Iterator

_LONGEST_COPY, _LONGEST_INSERT = 0xFFFFFF, 0x7F


def delta(old: bytes, new: bytes) -> bytes:
    """How to make `new` of `old`."""
    same = min(len(old), len(new))
    head = _same(old[:same], new[:same])
    tail = _same(old[head:][::-1], new[head:][::-1])
    middle = new[head : len(new) - tail]
    parts = [_size(len(old)), _size(len(new)), *_copies(0, head)]
    for start in range(0, len(middle), _LONGEST_INSERT):
        some = middle[start : start + _LONGEST_INSERT]
        parts.append(bytes((len(some),)) + some)
    return b"".join((*parts, *_copies(len(old) - tail, tail)))


def _same(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _copies(start: int, length: int) -> Iterator[bytes]:
    while length:
        size = min(length, _LONGEST_COPY)
        numbers = start.to_bytes(4, "little") + size.to_bytes(3, "little")
        used = [number for number in range(7) if numbers[number]]
        command = 0x80 | sum(1 << number for number in used)
        yield bytes((command, *(numbers[number] for number in used)))
        start, length = start + size, length - size


def _size(number: int) -> bytes:
    """Seven bits at a time, the lowest first."""
    text = bytearray((number & 0x7F,))
    while number := number >> 7:
        text[-1] |= 0x80
        text.append(number & 0x7F)
    return bytes(text)
