"""Joining a repository's many small packs into few.

Packs of few objects are joined as soon as there are many, those of more only when what is
smaller has grown to half of that; so every object is copied only a few times in its life.
Bytes would mislead: those of a small pack are mostly folders, which joining does away with. The new
pack is in place before an old one goes, and a run that dies leaves a file that the next
writer removes.
"""

from collections.abc import Sequence
from pathlib import Path

from postroom.archive import git
from postroom.archive.joining import ids, join
from postroom.archive.lock import alone
from postroom.archive.packfile import PackFile, flush
from postroom.archive.repository import GIT_FOLDER, LOCK_FILE, READERS_FILE

_MOST_PACKS = 40
# A pack that is larger stays as it is.
_LARGEST_BYTES = 256 * 1024 * 1024
# Of an index: besides the objects, and for each (gitformat-pack, version 2).
_INDEX_BYTES, _INDEX_ROW_BYTES = 1072, 28


def is_due(folder: Path) -> bool:
    """Whether a project's repository has many packs."""
    return len(_indexes(folder)) >= _MOST_PACKS and len(_chosen(folder)) >= _MOST_PACKS


def compact(folder: Path) -> int:
    """Join packs; returns how many became one. Raises Held and ArchiveFailure."""
    with git.told(), alone(folder / LOCK_FILE), alone(folder / READERS_FILE):
        chosen = _chosen(folder)
        if not chosen:
            return 0
        packs = folder / GIT_FOLDER / "objects/pack"
        different = {id for index in chosen for id in ids(index)}
        with PackFile(packs, len(different)) as joined:
            join(sorted(chosen, key=_written_at, reverse=True), joined)
            name = joined.put_in_place()
        for index in chosen:
            if index.stem != name:
                # Without its index a pack is not looked at, so this order leaves no error.
                index.unlink()
                index.with_suffix(".pack").unlink()
        flush(packs)
        return len(chosen)


def _chosen(folder: Path) -> Sequence[Path]:
    """All packs up to the largest that holds no more than twice all smaller ones together."""
    packs = sorted((_objects(index), index) for index in _indexes(folder) if _is_movable(index))
    most = total = 0
    for count, (objects, _) in enumerate(packs, 1):
        if objects <= 2 * total:
            most = count
        total += objects
    return [index for _, index in packs[:most]]


def _indexes(folder: Path) -> Sequence[Path]:
    return list((folder / GIT_FOLDER / "objects/pack").glob("pack-*.idx"))


def _is_movable(index: Path) -> bool:
    return index.with_suffix(".pack").stat().st_size <= _LARGEST_BYTES


def _objects(index: Path) -> int:
    return (index.stat().st_size - _INDEX_BYTES) // _INDEX_ROW_BYTES


def _written_at(index: Path) -> int:
    return index.stat().st_mtime_ns
