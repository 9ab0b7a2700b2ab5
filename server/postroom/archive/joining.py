"""Many packs written as one, entry by entry, without taking their content apart.

The newest comes first. It holds whole the large folders as they are now, and each pack holds
the ones it replaced as their differences (pack.py): so what older packs hold whole is passed
over, and 3 MB of folder become a few dozen bytes.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from struct import unpack
from typing import NamedTuple

from postroom.archive.packfile import OFFSET_DELTA, ObjectId, PackFile, difference_head

# Before the ids in an index, behind the count of objects.
_INDEX_HEAD_BYTES = 8 + 4 * 256
_ID_BYTES = 20


class Row(NamedTuple):
    """One object of a pack: where its entry lies."""

    id: ObjectId
    start: int
    end: int


class Difference(NamedTuple):
    """An entry that is a difference, taken apart: its size, distance to its base, the rest."""

    size: int
    distance: int
    packed: bytes


def join(indexes: Sequence[Path], into: PackFile) -> None:
    """Write the objects of packs, newest first, each once. Raises OSError and ValueError."""
    for index in indexes:
        pack = os.open(index.with_suffix(".pack"), os.O_RDONLY)
        try:
            _take(pack, rows(index), into)
        finally:
            os.close(pack)


def ids(index: Path) -> list[ObjectId]:
    """The objects of a pack."""
    return _ids(index.read_bytes())


def rows(index: Path) -> list[Row]:
    """The objects of a pack in the order of their entries."""
    content = index.read_bytes()
    found = _ids(content)
    # Behind the ids and the checksums of the entries.
    at = _INDEX_HEAD_BYTES + (_ID_BYTES + 4) * len(found)
    starts = unpack(f">{len(found)}I", content[at : at + 4 * len(found)])
    ordered = sorted(zip(starts, found, strict=True))
    end = index.with_suffix(".pack").stat().st_size - _ID_BYTES
    ends = [start for start, _ in ordered[1:]] + [end]
    return [Row(id, start, end) for (start, id), end in zip(ordered, ends, strict=True)]


def _ids(content: bytes) -> list[ObjectId]:
    count = int.from_bytes(content[_INDEX_HEAD_BYTES - 4 : _INDEX_HEAD_BYTES], "big")
    end = _INDEX_HEAD_BYTES + _ID_BYTES * count
    return [content[at : at + _ID_BYTES] for at in range(_INDEX_HEAD_BYTES, end, _ID_BYTES)]


def _take(pack: int, objects: Sequence[Row], into: PackFile) -> None:
    """Write what one pack holds."""
    moved: dict[int, int] = {}
    for row in objects:
        known = into.start_of(row.id)
        if known is None:
            entry = _entry(pack, row)
            if entry[0] >> 4 & 7 == OFFSET_DELTA:
                size, distance, packed = difference(entry)
                back = into.end - moved[row.start - distance]
                known = into.write(row.id, (*difference_head(size, back), packed))
            else:
                known = into.write(row.id, (entry,))
        moved[row.start] = known


def _entry(pack: int, row: Row) -> bytes:
    size = row.end - row.start
    entry = os.pread(pack, size, row.start) if size > 0 else b""
    if not entry or len(entry) < size:
        raise ValueError("a pack is shorter than its index says")
    return entry


def difference(entry: bytes) -> Difference:
    """Take an entry apart that is a difference."""
    size, at, shift = entry[0] & 15, 1, 4
    while entry[at - 1] & 0x80:
        size |= (entry[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
    distance = entry[at] & 0x7F
    at += 1
    while entry[at - 1] & 0x80:
        distance = (distance + 1) << 7 | entry[at] & 0x7F
        at += 1
    return Difference(size, distance, entry[at:])
