"""The folders of a repository in memory, of which only the touched ones are written again."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from postroom.archive.deflated import Deflated
from postroom.archive.delta import Stretch, delta
from postroom.archive.pack import TREE, Pack
from postroom.archive.packfile import ObjectId

_ROW = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
_FILE, _FOLDER = b"100644", b"40000"
_ID_BYTES = 20
# From here on a folder is not compressed anew each time, and later is kept as differences.
_LARGE_BYTES = 16 * 1024

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

    def __init__(self, raw: bytes, id: ObjectId | None = None) -> None:
        self.raw = bytearray(raw)
        self._deflated = Deflated()
        self._starts = array("L", (row.start() for row in _ROW.finditer(raw)))
        self.folders: dict[bytes, Folder] = {}
        # The id of the folder as it was read or written last, and what it had since then
        # under each name that was set: an id, or nothing.
        self._id = id
        self._before: dict[bytes, ObjectId | None] = {}

    def __len__(self) -> int:
        return len(self._starts)

    def find(self, key: bytes) -> ObjectId | None:
        """The object under a name; a folder's name ends with a slash here."""
        place = self._place(key)
        if place == len(self) or self._key(self._starts[place]) != key:
            return None
        end = self._end(place)
        return bytes(self.raw[end - _ID_BYTES : end])

    def set(self, entry: Entry) -> bool:
        """Put an entry under its name; False when it stands there already."""
        key = entry.name + b"/" if entry.is_folder else entry.name
        place = self._place(key)
        if place == len(self) or self._key(self._starts[place]) != key:
            self._insert(place, b"%s %s\0%s" % entry)
            self._before[key] = None
        else:
            end = self._end(place)
            before = bytes(self.raw[end - _ID_BYTES : end])
            if before == entry.id:
                return False
            self._deflated.change(end - _ID_BYTES)
            self.raw[end - _ID_BYTES : end] = entry.id
            self._before.setdefault(key, before)
        return True

    def write(self, pack: Pack) -> ObjectId | None:
        """Add it to a pack and return its new id; None when nothing has changed."""
        if not self._before:
            return None
        if len(self.raw) < _LARGE_BYTES:
            id = pack.add(TREE, self.raw)
        else:
            id = pack.add_folder(self.raw, self._deflated.parts(self.raw))
            # A few stay whole, by chance, so that none is made of too many others.
            if self._id and self._id[-1]:
                pack.replace(self._id, id, delta(len(self.raw), self.earlier()))
        self._id, self._before = id, {}
        return id

    def earlier(self) -> list[Stretch | bytes]:
        """What it was when it was read or written last: stretches of what it is, and ids."""
        first = self._place(min(self._before))
        if len(self) - first == len(self._before) and not any(self._before.values()):
            # All that has changed came last.
            return [Stretch(0, self._starts[first])]
        pieces: list[Stretch | bytes] = []
        at = 0
        for place, before in sorted((self._place(key), id) for key, id in self._before.items()):
            end = self._end(place)
            pieces.append(Stretch(at, end - _ID_BYTES if before else self._starts[place]))
            pieces += [before] if before else []
            at = end
        return [*pieces, Stretch(at, len(self.raw))]

    def _place(self, key: bytes) -> int:
        """Where a name is, or would be."""
        low = high = len(self)
        step = 1
        # Ids sort by time, so a name comes last, or not far from there.
        while low and self._key(self._starts[low - 1]) >= key:
            high = low - 1
            low, step = max(0, high - step), step * 2
        return bisect_left(self._starts, key, low, high, key=self._key)

    def _insert(self, place: int, row: bytes) -> None:
        start = self._starts[place] if place < len(self) else len(self.raw)
        self._deflated.change(start)
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

    def set(self, path: str, id: ObjectId) -> bool:
        """Put a file in its place; False when it is there already."""
        *folders, name = path.encode().split(b"/")
        at = self._root
        for each in folders:
            inner = self._inner(at, each)
            if inner is None:
                inner = at.folders[each] = Folder(b"")
            at = inner
        is_new = at.set(Entry(_FILE, name, id))
        self.rows += is_new
        return is_new

    def write(self, pack: Pack) -> ObjectId:
        """Add every changed folder to a pack and return the root's id.

        The pack may look into the folders themselves: nothing can be set until it is gone.
        """
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
        folder = Folder(b"" if id is None else self.read(id), id)
        self.rows += len(folder)
        return folder


def _write(folder: Folder, pack: Pack) -> ObjectId | None:
    """Write a folder and all in it; returns its new id, None when nothing has changed."""
    for name, inner in folder.folders.items():
        id = _write(inner, pack)
        if id is not None:
            folder.set(Entry(_FOLDER, name, id))
    return folder.write(pack)
