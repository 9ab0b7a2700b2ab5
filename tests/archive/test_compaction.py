"""Joining packs: nothing is lost, Git agrees, and a killed run blocks nothing."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from postroom.archive.compaction import compact, is_due
from postroom.archive.git import ArchiveFailure
from postroom.archive.lock import Held, together
from postroom.archive.repository import READERS_FILE, Repository
from tests.archive.kept import commit, git, repository_in


def grown(folder: Path, commits: int = 45, each: int = 12, seed: int = 1) -> Repository:
    """A repository whose month has become a large folder, in many packs."""
    repository = repository_in(folder)
    chance = random.Random(seed)
    commit(repository, {f"messages/2026/12/msg_{n:06}.md": b"%d" % n for n in range(600)})
    for n in range(commits):
        numbers = [1000 + n * each + k for k in range(each)]
        names = [f"messages/2026/12/msg_{k:06}.md" for k in numbers]
        commit(repository, {name: chance.randbytes(40) for name in names}, last=n)
    return repository


def test_many_packs_become_one_and_every_object_stays(tmp_path: Path) -> None:
    repository = grown(tmp_path)
    before = git(repository.path, "cat-file", "--batch-check", "--batch-all-objects", "--unordered")
    assert is_due(tmp_path / "wfl_1")
    assert compact(tmp_path / "wfl_1") == 46
    after = git(repository.path, "cat-file", "--batch-check", "--batch-all-objects", "--unordered")
    assert sorted(after.split("\n")) == sorted(before.split("\n"))
    packs = list((repository.path / "objects/pack").iterdir())
    assert sorted(path.suffix for path in packs) == [".idx", ".pack"]
    assert git(repository.path, "fsck", "--strict", "--full") == ""
    assert "non delta" in git(
        repository.path, "verify-pack", "-v", str(packs[0].with_suffix(".idx"))
    )
    assert commit(repository, {"a/b.md": b"x"})
    assert compact(tmp_path / "wfl_1") == 0


def test_packs_with_differences_are_joined_again(tmp_path: Path) -> None:
    repository = grown(tmp_path)
    compact(tmp_path / "wfl_1")
    for n in range(30):
        names = [f"messages/2026/12/msg_{5000 + n * 50 + k:06}.md" for k in range(50)]
        commit(repository, {name: name.encode() * 9 for name in names}, last=n)
    assert compact(tmp_path / "wfl_1") > 2
    assert git(repository.path, "fsck", "--strict", "--full") == ""
    listed = git(repository.path, "ls-tree", "-r", "--name-only", "main").split()
    assert len(listed) == 600 + 45 * 12 + 30 * 50


def whole(repository: Repository) -> list[str]:
    """The ids of large folders that some pack holds whole."""
    found = []
    for index in (repository.path / "objects/pack").glob("*.idx"):
        for line in git(repository.path, "verify-pack", "-v", str(index)).split("\n"):
            # The id, kind, size, size in the pack and offset; of a difference also its base.
            facts = line.split()
            if len(facts) == 5 and facts[1] == "tree" and int(facts[2]) > 16 * 1024:
                found.append(facts[0])
    return found


def test_a_large_folder_stays_whole_as_it_is_now_and_once_in_a_while(tmp_path: Path) -> None:
    # With this seed the second version has an id that ends with a byte of 0.
    repository = grown(tmp_path, commits=12, each=1, seed=23)
    assert len(whole(repository)) == 13
    commit(repository, {f"messages/2026/12/msg_9{n:05}.md": b"9%d" % n for n in range(700)})
    assert compact(tmp_path / "wfl_1") == 14
    newest, lasting = (
        git(repository.path, "rev-parse", f"{commit}:messages/2026/12").strip()
        for commit in ("main", "main~12")
    )
    assert lasting.endswith("00")
    assert sorted(whole(repository)) == sorted((newest, lasting))
    assert git(repository.path, "fsck", "--strict", "--full") == ""


def test_the_folders_in_small_packs_do_not_outweigh_the_letters_in_a_large_one(
    tmp_path: Path,
) -> None:
    repository = grown(tmp_path, commits=40, each=1)
    packs = repository.path / "objects/pack"
    letters, *others = sorted(packs.glob("*.idx"), key=lambda one: -one.stat().st_size)
    assert sum(one.with_suffix(".pack").stat().st_size for one in others) > 10 * (
        letters.with_suffix(".pack").stat().st_size
    )
    assert compact(tmp_path / "wfl_1") == 40
    assert letters in set(packs.glob("*.idx"))


def test_a_pack_that_was_cut_off_is_told_and_nothing_goes(tmp_path: Path) -> None:
    repository = grown(tmp_path, commits=3)
    packs = repository.path / "objects/pack"
    cut = min(packs.glob("*.pack"), key=lambda one: one.stat().st_size)
    cut.write_bytes(cut.read_bytes()[:-2000])
    before = set(packs.iterdir())
    with pytest.raises(ArchiveFailure, match="shorter"):
        compact(tmp_path / "wfl_1")
    assert set(packs.iterdir()) == before


def test_packs_stay_while_somebody_reads(tmp_path: Path) -> None:
    grown(tmp_path, commits=3)
    with together(tmp_path / "wfl_1" / READERS_FILE), pytest.raises(Held):
        compact(tmp_path / "wfl_1")
    assert compact(tmp_path / "wfl_1") > 1


KILLED = """
import os, signal, sys
from pathlib import Path
from postroom.archive import packfile
from postroom.archive.compaction import compact
count = 0
def die(*_):
    global count
    count += 1
    if count == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
for name in ("rename", "unlink"):
    real = getattr(Path, name)
    setattr(Path, name, lambda *a, real=real, **k: (die(), real(*a, **k))[1])
real_put = packfile.PackFile.write
packfile.PackFile.write = lambda *a: (count < 0 or die(), real_put(*a))[1]
compact(Path(sys.argv[1]))
"""


# 91 objects are written, two files get their names, and then twelve go.
@pytest.mark.parametrize("at", [1, 30, 91, 92, 93, 94, 95, 96, 97, 98, 101, 107])
def test_m32_a_killed_compaction_blocks_nothing(tmp_path: Path, at: int) -> None:
    repository = grown(tmp_path, commits=6, each=10)
    before = git(repository.path, "rev-parse", "main^{tree}")
    command = [sys.executable, "-c", KILLED, str(tmp_path / "wfl_1"), str(at)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert git(repository.path, "fsck", "--strict", "--full") == ""
    assert git(repository.path, "rev-parse", "main^{tree}") == before
    fresh = repository_in(tmp_path)
    assert commit(fresh, {"a/b.md": b"x"})
    compact(tmp_path / "wfl_1")
    # The first pack, the joined one, and the last commit's.
    packs = list((fresh.path / "objects/pack").iterdir())
    assert len(packs) <= 6
    assert all(path.name.startswith("pack-") for path in packs)
    assert git(fresh.path, "fsck", "--strict", "--full") == ""
