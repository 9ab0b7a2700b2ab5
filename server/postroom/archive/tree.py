"""The folders of a repository in memory, of which only the touched ones are written again."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from postroom.archive.pack import TREE, Pack
from postroom.archive.packfile import ObjectId

_ROW = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
_FILE, _FOLDER = b"100644", b"40000"
_ID_BYTES = 20

ReadTree = Callable[[ObjectId], bytes]


class Entry(NamedTuple):
    """What stands under one name in a folder."""

    mode: bytes
    name: bytes
    id: ObjectId

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.mode == _FOLDER

    @property
    def is_file(self) -> bool:
        """Whether it is a plain file; a link is none."""
        return self.mode == _FILE


def entries(raw: bytes) -> Iterator[Entry]:
    """The entries of a tree object."""
    return map(Entry._make, _ROW.findall(raw))


class Folder:
    """One folder: its tree object, where in it each row begins, and the folders in it.

    The tree object is never taken apart, since that of a month may have 50,000 rows.
    `folders` holds those that were looked into.
    """

    def __init__(self, raw: bytes) -> None:
        self.raw = bytearray(raw)
        self._starts = array("L", (row.start() for row in _ROW.finditer(raw)))
        self.folders: dict[bytes, Folder] = {}
        self.is_changed = False

    def __len__(self) -> int:
        return len(self._starts)

    def find(self, key: bytes) -> ObjectId | None:
        """The object under a name; a folder's name ends with a slash here."""
        place = self._place(key)
        if place == len(self) or self._key(self._starts[place]) != key:
            return None
        end = self._end(place)
        return bytes(self.raw[end - _ID_BYTES : end])

    def set(self, entry: Entry) -> None:
        """Put an entry under its name."""
        key = entry.name + b"/" if entry.is_folder else entry.name
        found = self.find(key)
        if found == entry.id:
            return
        self.is_changed = True
        place = self._place(key)
        if found is not None:
            end = self._end(place)
            self.raw[end - _ID_BYTES : end] = entry.id
        else:
            self._insert(place, b"%s %s\0%s" % entry)

    def _place(self, key: bytes) -> int:
        """Where a name is, or would be."""
        # Ids sort by time, so most names are new and come last.
        if self._starts and key > self._key(self._starts[-1]):
            return len(self)
        return bisect_left(self._starts, key, key=self._key)

    def _insert(self, place: int, row: bytes) -> None:
        start = self._starts[place] if place < len(self) else len(self.raw)
        self.raw[start:start] = row
        self._starts.insert(place, start)
        for after in range(place + 1, len(self)):
            self._starts[after] += len(row)

    def _end(self, place: int) -> int:
        return self._starts[place + 1] if place + 1 < len(self) else len(self.raw)

    def _key(self, start: int) -> bytes:
        """What Git sorts by: folders as if their names ended with a slash."""
        mode = self.raw.index(b" ", start)
        name = bytes(self.raw[mode + 1 : self.raw.index(b"\0", mode)])
        return name + b"/" if self.raw[start:mode] == _FOLDER else name


class Tree:
    """All folders from the root on, read when they are needed."""

    def __init__(self, root: ObjectId | None, read: ReadTree) -> None:
        self.id = root
        # Reads a tree object; whoever keeps the folders sets it anew with each opening.
        self.read = read
        self.rows = 0
        self._root = self._folder(root)

    def find(self, path: str) -> ObjectId | None:
        """The object of a file, None when there is none."""
        *folders, name = path.encode().split(b"/")
        at = self._root
        for each in folders:
            inner = self._inner(at, each)
            if inner is None:
                return None
            at = inner
        return at.find(name)

    def set(self, path: str, id: ObjectId) -> None:
        """Put a file in its place."""
        *folders, name = path.encode().split(b"/")
        at = self._root
        for each in folders:
            inner = self._inner(at, each)
            if inner is None:
                inner = at.folders[each] = Folder(b"")
            at = inner
        at.set(Entry(_FILE, name, id))
        self.rows += 1

    def write(self, pack: Pack) -> ObjectId:
        """Add every changed folder to a pack and return the root's id."""
        self.id = _write(self._root, pack) or self.id or pack.add(TREE, b"")
        return self.id

    def _inner(self, folder: Folder, name: bytes) -> Folder | None:
        known = folder.folders.get(name)
        if known is None:
            id = folder.find(name + b"/")
            if id is None:
                return None
            known = folder.folders[name] = self._folder(id)
        return known

    def _folder(self, id: ObjectId | None) -> Folder:
        folder = Folder(b"" if id is None else self.read(id))
        self.rows += len(folder)
        return folder


def _write(folder: Folder, pack: Pack) -> ObjectId | None:
    """The new id of a folder; None when nothing in it has changed."""
    for name, inner in folder.folders.items():
        id = _write(inner, pack)
        if id is not None:
            folder.set(Entry(_FOLDER, name, id))
    if not folder.is_changed:
        return None
    folder.is_changed = False
    return pack.add(TREE, bytes(folder.raw))
