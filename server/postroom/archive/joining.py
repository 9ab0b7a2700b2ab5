"""Many packs written as one, entry by entry, without taking their content apart.

Only large folders are looked into: each is written as its difference from the version
before it, which makes 3 MB a few hundred bytes.
"""

import zlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from postroom.archive.delta import delta
from postroom.archive.pack import LARGE_TREE
from postroom.archive.packfile import ObjectId, PackFile, entry_head

_TREE, _OFFSET_DELTA = 2, 6
# Versions to compare with that are kept in memory.
_MOST_KEPT_BYTES = 32 * 1024 * 1024


class Row(NamedTuple):
    """One object of a pack: where its entry lies."""

    id: ObjectId
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry taken apart: kind, size of the object, distance to its base, the rest."""

    kind: int
    size: int
    distance: int
    packed: bytes


def join(indexes: Sequence[Path], into: PackFile) -> None:
    """Write the objects of packs, oldest first, each once."""
    joiner = _Joiner(into)
    for index in indexes:
        joiner.take(rows(index), index.with_suffix(".pack").read_bytes())


def rows(index: Path) -> list[Row]:
    """The objects of a pack in the order of their entries."""
    content = index.read_bytes()
    count, start = int.from_bytes(content[1028:1032], "big"), 1032
    ids = [content[at : at + 20] for at in range(start, start + 20 * count, 20)]
    places = memoryview(content)[start + 24 * count : start + 28 * count]
    starts = [int.from_bytes(places[at : at + 4], "big") for at in range(0, 4 * count, 4)]
    ordered = sorted(zip(starts, ids, strict=True))
    end = index.with_suffix(".pack").stat().st_size - 20
    ends = [start for start, _ in ordered[1:]] + [end]
    return [Row(id, start, end) for (start, id), end in zip(ordered, ends, strict=True)]


class _Joiner:
    def __init__(self, into: PackFile) -> None:
        self._into = into
        self._versions: OrderedDict[bytes, tuple[int, bytes]] = OrderedDict()
        self._kept = 0

    def take(self, objects: Sequence[Row], content: bytes) -> None:
        """Write what one pack holds."""
        moved: dict[int, int] = {}
        for row in objects:
            known = self._into.start_of(row.id)
            if known is None:
                known = self._write(row, parsed(content[row.start : row.end]), moved)
            moved[row.start] = known

    def _write(self, row: Row, entry: Entry, moved: dict[int, int]) -> int:
        if entry.kind == _OFFSET_DELTA:
            base = moved[row.start - entry.distance]
            return self._differing(row.id, base, entry.size, entry.packed)
        if entry.kind == _TREE and entry.size > LARGE_TREE:
            return self._version(row.id, zlib.decompress(entry.packed))
        return self._into.write(row.id, (entry_head(entry.kind, entry.size), entry.packed))

    def _version(self, id: ObjectId, tree: bytes) -> int:
        """Write a large folder. Those with the same first row are versions of one."""
        first = tree[: tree.index(b"\0") + 21]
        base = self._versions.pop(first, None)
        if base:
            self._kept -= len(base[1])
            changes = delta(base[1], tree)
            start = self._differing(id, base[0], len(changes), zlib.compress(changes))
        else:
            packed = zlib.compress(tree)
            start = self._into.write(id, (entry_head(_TREE, len(tree)), packed))
        self._keep(first, start, tree)
        return start

    def _keep(self, first: bytes, start: int, tree: bytes) -> None:
        self._versions[first] = start, tree
        self._kept += len(tree)
        while self._kept > _MOST_KEPT_BYTES and len(self._versions) > 1:
            _, (_, forgotten) = self._versions.popitem(last=False)
            self._kept -= len(forgotten)

    def _differing(self, id: ObjectId, base: int, size: int, packed: bytes) -> int:
        distance = _distance(self._into.end - base)
        return self._into.write(id, (entry_head(_OFFSET_DELTA, size), distance, packed))


def parsed(entry: bytes) -> Entry:
    """Take an entry apart."""
    kind, size, at = entry[0] >> 4 & 7, entry[0] & 15, 1
    shift = 4
    while entry[at - 1] & 0x80:
        size |= (entry[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
    distance = 0
    if kind == _OFFSET_DELTA:
        distance = entry[at] & 0x7F
        at += 1
        while entry[at - 1] & 0x80:
            distance = (distance + 1) << 7 | entry[at] & 0x7F
            at += 1
    return Entry(kind, size, distance, entry[at:])


def _distance(number: int) -> bytes:
    """How far back a base is, the highest seven bits first."""
    text = [number & 0x7F]
    while number := number >> 7:
        number -= 1
        text.append(0x80 | number & 0x7F)
    return bytes(reversed(text))
