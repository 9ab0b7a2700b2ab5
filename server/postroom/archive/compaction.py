"""Joining a repository's many small packs into few, beside whoever writes and reads.

Small packs are joined as soon as there are many, large ones only when what is smaller has
grown to half their size; so every object is packed again only a few times in its life. The
new pack is in place before an old one goes, and a run that dies leaves a folder that the
next one removes.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pygit2

from postroom.archive import git
from postroom.archive.lock import alone
from postroom.archive.pack import flush_folder
from postroom.archive.repository import GIT_FOLDER

LOCK_FILE = "compaction.lock"
_FOLDER = "compacting"
_MOST_PACKS = 40
_WORTH_TWO = 2


def is_due(folder: Path) -> bool:
    """Whether a project's repository has many packs."""
    return len(_packs(folder)) > _MOST_PACKS


def compact(folder: Path) -> int:
    """Join packs; returns how many became one. Raises Held and ArchiveFailure."""
    with git.told(), alone(folder / LOCK_FILE):
        fresh = folder / _FOLDER
        shutil.rmtree(fresh, ignore_errors=True)
        chosen = _smallest(_packs(folder))
        if len(chosen) < _WORTH_TWO:
            return 0
        fresh.mkdir(mode=0o700)
        with git.opened(folder / GIT_FOLDER) as repository:
            _join(repository, chosen, fresh)
        _replace(folder / GIT_FOLDER / "objects/pack", chosen, fresh)
        fresh.rmdir()
        return len(chosen)


def _packs(folder: Path) -> list[Path]:
    return list((folder / GIT_FOLDER / "objects/pack").glob("*.idx"))


def _smallest(indexes: Sequence[Path]) -> list[Path]:
    """Each pack that is no larger than twice all smaller ones together."""
    sizes = sorted((index.with_suffix(".pack").stat().st_size, index) for index in indexes)
    chosen: list[Path] = []
    total = 0
    for size, index in sizes:
        if chosen and size > 2 * total:
            break
        chosen.append(index)
        total += size
    return chosen


def _join(repository: pygit2.Repository, chosen: Sequence[Path], fresh: Path) -> None:
    builder = pygit2.PackBuilder(repository)
    builder.set_threads(1)
    for index in chosen:
        for id in _ids(index.read_bytes()):
            builder.add(pygit2.Oid(raw=id))
    builder.write(str(fresh))


def _ids(index: bytes) -> list[bytes]:
    """The objects that an index (version 2) lists, after its head and 256 counts."""
    count, start = int.from_bytes(index[1028:1032], "big"), 1032
    return [index[at : at + 20] for at in range(start, start + 20 * count, 20)]


def _replace(packs: Path, chosen: Sequence[Path], fresh: Path) -> None:
    for suffix in (".pack", ".idx"):
        for made in fresh.glob(f"*{suffix}"):
            made.chmod(0o600)
            made.rename(packs / made.name)
    flush_folder(packs)
    kept = {path.name for path in packs.glob("*.idx")} - {path.name for path in chosen}
    if kept or chosen:
        for index in chosen:
            # Without its index a pack is not looked at, so this order leaves no error behind.
            index.unlink()
            index.with_suffix(".pack").unlink()
