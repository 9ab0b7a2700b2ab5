"""Git objects of one commit, written as a single pack.

One pack for each commit means two flushes to disk for hundreds of files, and all of them or
none. The form is Git's own (gitformat-pack, version 2); nothing in it is a delta. Packs that
have become many are joined later (compaction.py).
"""

import os
import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha1
from itertools import accumulate
from pathlib import Path
from struct import pack

BLOB, TREE, COMMIT = b"blob", b"tree", b"commit"
_KINDS = {COMMIT: 1, TREE: 2, BLOB: 3}
# Hashes do not compress, and the folder of a month with 50,000 messages is 3 MB of them.
_STORE_TREES_ABOVE = 16 * 1024
_QUICK = 1
# Of a stored block of deflate.
_LONGEST_BLOCK = 0xFFFF
_HEAD = b"PACK\0\0\0\2"
_INDEX_HEAD = b"\xfftOc\0\0\0\2"

ObjectId = bytes


class Pack:
    """Takes objects and holds them until they are written."""

    def __init__(self) -> None:
        self._objects: dict[ObjectId, Sequence[bytes]] = {}
        self.size = 0

    def __len__(self) -> int:
        return len(self._objects)

    def add(self, kind: bytes, data: bytes) -> ObjectId:
        """Take an object and return its id."""
        id = object_id(kind, data)
        if id not in self._objects:
            head = _head(_KINDS[kind], len(data))
            if kind is TREE and len(data) > _STORE_TREES_ABOVE:
                packed = (head, *_stored(data))
            else:
                packed = (head + zlib.compress(data, _QUICK),)
            self._objects[id] = packed
            self.size += sum(map(len, packed))
        return id

    def write(self, folder: Path) -> None:
        """Put the pack and its index into a folder, flushed to disk. Raises OSError.

        The index comes last: without it Git does not look at a pack. The same objects make
        the same files.
        """
        parts = [_HEAD + pack(">I", len(self))]
        for packed in self._objects.values():
            parts += packed
        checksum = _sha1(parts)
        name = f"pack-{checksum.hex()}"
        put(folder / f"{name}.pack", [*parts, checksum])
        index = self._index(checksum)
        put(folder / f"{name}.idx", [*index, _sha1(index)])
        flush_folder(folder)

    def _index(self, checksum: bytes) -> list[bytes]:
        sizes = [sum(map(len, packed)) for packed in self._objects.values()]
        starts = accumulate(sizes, initial=len(_HEAD) + 4)
        offsets = dict(zip(self._objects, starts, strict=False))
        ids = sorted(offsets)
        counts = [0] * 256
        for id in ids:
            counts[id[0]] += 1
        many = f">{len(ids)}I"
        sums = [_crc(self._objects[id]) for id in ids]
        places = [offsets[id] for id in ids]
        fanout = pack(">256I", *accumulate(counts))
        return [_INDEX_HEAD, fanout, *ids, pack(many, *sums), pack(many, *places), checksum]


def object_id(kind: bytes, data: bytes) -> ObjectId:
    """The id that Git gives an object."""
    return _sha1((b"%s %d\0" % (kind, len(data)), data))


def put(path: Path, parts: Iterable[bytes]) -> None:
    """Write a whole file, for this user alone, flushed to disk, or none. Raises OSError."""
    fresh = path.with_name(f"tmp_{path.name}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(parts)
        file.flush()
        os.fsync(descriptor)
    fresh.rename(path)


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sha1(parts: Iterable[bytes]) -> bytes:
    digest = sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part)
    return digest.digest()


def _crc(parts: Iterable[bytes]) -> int:
    value = 0
    for part in parts:
        value = zlib.crc32(part, value)
    return value


def _head(kind: int, size: int) -> bytes:
    """An entry's kind and size: four bits of the size, then seven at a time."""
    head = bytearray((kind << 4 | size & 15,))
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 0x7F)
        size >>= 7
    return bytes(head)


def _stored(data: bytes) -> Iterable[bytes]:
    """The data as a zlib stream that compresses nothing (RFC 1950, RFC 1951)."""
    yield b"\x78\x01"
    for start in range(0, len(data), _LONGEST_BLOCK):
        block = data[start : start + _LONGEST_BLOCK]
        is_last = start + _LONGEST_BLOCK >= len(data)
        yield pack("<BHH", is_last, len(block), len(block) ^ 0xFFFF)
        yield block
    yield pack(">I", zlib.adler32(data))
