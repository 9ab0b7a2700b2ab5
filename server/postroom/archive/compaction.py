"""Joining a repository's many small packs into few.

Small packs are joined as soon as there are many, large ones only when what is smaller has
grown to half their size; so every object is copied only a few times in its life. The new
pack is in place before an old one goes, and a run that dies leaves a file that the next
writer removes.
"""

from collections.abc import Sequence
from pathlib import Path

from postroom.archive import git
from postroom.archive.joining import join, rows
from postroom.archive.lock import alone
from postroom.archive.packfile import PackFile, flush
from postroom.archive.repository import GIT_FOLDER, LOCK_FILE, READERS_FILE

_MOST_PACKS = 40
# Each pack that is joined is in memory for a while.
_LARGEST_BYTES = 256 * 1024 * 1024


def is_due(folder: Path) -> bool:
    """Whether a project's repository has many packs."""
    return len(_chosen(folder)) >= _MOST_PACKS


def compact(folder: Path) -> int:
    """Join packs; returns how many became one. Raises Held and ArchiveFailure."""
    with git.told(), alone(folder / LOCK_FILE), alone(folder / READERS_FILE):
        chosen = _chosen(folder)
        if not chosen:
            return 0
        packs = folder / GIT_FOLDER / "objects/pack"
        different = {row.id for index in chosen for row in rows(index)}
        with PackFile(packs, len(different)) as joined:
            join(sorted(chosen, key=_age), joined)
            name = joined.put_in_place()
        for index in chosen:
            if index.stem != name:
                # Without its index a pack is not looked at, so this order leaves no error.
                index.unlink()
                index.with_suffix(".pack").unlink()
        flush(packs)
        return len(chosen)


def _chosen(folder: Path) -> Sequence[Path]:
    """All packs up to the largest that is no larger than twice all smaller ones together."""
    indexes = (folder / GIT_FOLDER / "objects/pack").glob("pack-*.idx")
    sizes = sorted((index.with_suffix(".pack").stat().st_size, index) for index in indexes)
    most = total = 0
    for count, (size, _) in enumerate(sizes, 1):
        if size > _LARGEST_BYTES:
            break
        if size <= 2 * total:
            most = count
        total += size
    return [index for _, index in sizes[:most]]


def _age(index: Path) -> int:
    return index.stat().st_mtime_ns
