"""A pack file and its index on their way to disk (gitformat-pack, version 2)."""

import os
import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha1
from io import BufferedWriter
from itertools import accumulate
from pathlib import Path
from struct import pack
from types import TracebackType
from typing import Self

# The kind of an entry that is the difference from one before it.
OFFSET_DELTA = 6
_HEAD = b"PACK\0\0\0\2"
_INDEX_HEAD = b"\xfftOc\0\0\0\2"

ObjectId = bytes
Part = bytes | memoryview


class PackFile:
    """Entries are written one after another; then the files are put in place, or nothing is.

    Files are this user's alone. `end` is where the next entry will begin.
    """

    def __init__(self, folder: Path, count: int) -> None:
        self._folder = folder
        # Git looks into whatever is called .idx, so these are not, until they are whole.
        self._fresh = folder / f"tmp_pack_{os.getpid()}"
        self._fresh_index = folder / f"tmp_idx_{os.getpid()}"
        self._digest = sha1(usedforsecurity=False)
        self._rows: dict[ObjectId, tuple[int, int]] = {}
        descriptor = os.open(self._fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._file = os.fdopen(descriptor, "wb")
        self.end = 0
        self._put(_HEAD + pack(">I", count))

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave nothing unfinished behind."""
        self._file.close()
        self._fresh.unlink(missing_ok=True)
        self._fresh_index.unlink(missing_ok=True)

    def start_of(self, id: ObjectId) -> int | None:
        """Where the entry of an object begins, None when it has none."""
        row = self._rows.get(id)
        return row[0] if row else None

    def write(self, id: ObjectId, parts: Sequence[Part]) -> int:
        """Write the entry of an object; returns where it begins."""
        start, checksum = self.end, 0
        for part in parts:
            checksum = zlib.crc32(part, checksum)
            self._put(part)
        self._rows[id] = start, checksum
        return start

    def put_in_place(self) -> str:
        """Flush both files to disk under their names, which their content gives; returns it.

        The index comes last: without it Git does not look at a pack. Raises OSError.
        """
        checksum = self._digest.digest()
        self._file.write(checksum)
        _sync(self._file)
        name = f"pack-{checksum.hex()}"
        descriptor = os.open(self._fresh_index, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(self._index(checksum))
            _sync(file)
        self._fresh.rename(self._folder / f"{name}.pack")
        self._fresh_index.rename(self._folder / f"{name}.idx")
        flush(self._folder)
        return name

    def _put(self, part: Part) -> None:
        self._digest.update(part)
        self._file.write(part)
        self.end += len(part)

    def _index(self, checksum: bytes) -> Iterable[bytes]:
        ids = sorted(self._rows)
        counts = [0] * 256
        for id in ids:
            counts[id[0]] += 1
        many = f">{len(ids)}I"
        starts = pack(many, *(self._rows[id][0] for id in ids))
        sums = pack(many, *(self._rows[id][1] for id in ids))
        parts = [_INDEX_HEAD, pack(">256I", *accumulate(counts)), *ids, sums, starts, checksum]
        digest = sha1(usedforsecurity=False)
        for part in parts:
            digest.update(part)
        return [*parts, digest.digest()]


def entry_head(kind: int, size: int) -> bytes:
    """An entry's kind and size: four bits of the size, then seven at a time."""
    head = bytearray((kind << 4 | size & 15,))
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 0x7F)
        size >>= 7
    return bytes(head)


def difference_head(size: int, distance: int) -> tuple[bytes, bytes]:
    """The same of a difference, and how far back in the pack its base begins."""
    text = [distance & 0x7F]
    while distance := distance >> 7:
        distance -= 1
        text.append(0x80 | distance & 0x7F)
    return entry_head(OFFSET_DELTA, size), bytes(reversed(text))


def flush(path: Path) -> None:
    """Flush a file, or the names in a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync(file: BufferedWriter) -> None:
    file.flush()
    os.fsync(file.fileno())
