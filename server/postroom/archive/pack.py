"""Git objects of one commit, written as a single pack.

One pack for each commit means two flushes to disk for hundreds of files, and all of them or
none. The form is Git's own (gitformat-pack, version 2). Packs that have become many are
joined later (compaction.py).
"""

import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha1
from pathlib import Path

from postroom.archive.packfile import ObjectId, PackFile, Part, difference_head, entry_head

BLOB, TREE, COMMIT = b"blob", b"tree", b"commit"
_KINDS = {COMMIT: 1, TREE: 2, BLOB: 3}
_QUICK = 1


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
        """Take an object whose id is known."""
        if id not in self._objects:
            self._put(id, entry_head(_KINDS[kind], len(data)), zlib.compress(data, _QUICK))

    def add_folder(self, data: bytearray, packed: Iterable[Part]) -> ObjectId:
        """Take a large folder that is a zlib stream already, and return its id.

        The stream is not copied, only looked into when it is written.
        """
        id = object_id(TREE, data)
        if id not in self._objects:
            self._put(id, entry_head(_KINDS[TREE], len(data)), *packed)
        return id

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

    def _put(self, id: ObjectId, *parts: Part) -> None:
        self._objects[id] = parts
        self.size += sum(map(len, parts))


def object_id(kind: bytes, data: bytes | bytearray) -> ObjectId:
    """The id that Git gives an object."""
    digest = sha1(b"%s %d\0" % (kind, len(data)), usedforsecurity=False)
    digest.update(data)
    return digest.digest()
