"""Git objects of one commit, written as a single pack.

One pack for each commit means two flushes to disk for hundreds of files, and all of them or
none. The form is Git's own (gitformat-pack, version 2). Packs that have become many are
joined later (compaction.py).
"""

import zlib
from collections.abc import Iterator, Sequence
from hashlib import sha1
from pathlib import Path
from struct import pack

from postroom.archive.packfile import ObjectId, PackFile, Part, difference_head, entry_head

BLOB, TREE, COMMIT = b"blob", b"tree", b"commit"
_KINDS = {COMMIT: 1, TREE: 2, BLOB: 3}
# Hashes do not compress, and the folder of a month with 50,000 messages is 3 MB of them.
LARGE_TREE = 16 * 1024
_QUICK = 1
# Of a stored block of deflate.
_LONGEST_BLOCK = 0xFFFF


class Pack:
    """Takes objects and holds them until they are written."""

    def __init__(self) -> None:
        self._objects: dict[ObjectId, Sequence[Part]] = {}
        self._replaced: dict[ObjectId, tuple[ObjectId, bytes]] = {}
        self.size = 0

    def add(self, kind: bytes, data: bytes | bytearray) -> ObjectId:
        """Take an object and return its id."""
        id = object_id(kind, data)
        self.put(id, kind, data)
        return id

    def put(self, id: ObjectId, kind: bytes, data: bytes | bytearray) -> None:
        """Take an object whose id is known. A large folder is not copied, only looked into."""
        if id not in self._objects:
            head = entry_head(_KINDS[kind], len(data))
            if kind is TREE and len(data) > LARGE_TREE:
                packed: tuple[Part, ...] = (head, *_stored(data))
            else:
                packed = (head, zlib.compress(data, _QUICK))
            self._objects[id] = packed
            self.size += sum(map(len, packed))

    def replace(self, id: ObjectId, by: ObjectId, changes: bytes) -> None:
        """Take a large folder of an earlier pack, as its difference from one taken here.

        The earlier pack holds it whole; once the two packs are joined, nothing does.
        """
        if id not in self._objects:
            self._replaced[id] = by, changes

    def write(self, folder: Path) -> None:
        """Put all objects into a folder of packs, flushed to disk. Raises OSError."""
        with PackFile(folder, len(self._objects) + len(self._replaced)) as file:
            starts = {id: file.write(id, packed) for id, packed in self._objects.items()}
            for id, (by, changes) in self._replaced.items():
                packed = zlib.compress(changes, _QUICK)
                file.write(id, (*difference_head(len(changes), file.end - starts[by]), packed))
            file.put_in_place()


def object_id(kind: bytes, data: bytes | bytearray) -> ObjectId:
    """The id that Git gives an object."""
    digest = sha1(b"%s %d\0" % (kind, len(data)), usedforsecurity=False)
    digest.update(data)
    return digest.digest()


def _stored(data: bytes | bytearray) -> Iterator[Part]:
    """The data as a zlib stream that compresses nothing (RFC 1950, RFC 1951)."""
    yield b"\x78\x01"
    view = memoryview(data)
    for start in range(0, len(data), _LONGEST_BLOCK):
        block = view[start : start + _LONGEST_BLOCK]
        is_last = start + _LONGEST_BLOCK >= len(data)
        yield pack("<BHH", is_last, len(block), len(block) ^ 0xFFFF)
        yield block
    yield pack(">I", zlib.adler32(data))
