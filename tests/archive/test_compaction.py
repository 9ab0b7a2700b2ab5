"""Joining packs: nothing is lost, Git agrees, and a killed run blocks nothing."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.archive.compaction import compact, is_due
from postroom.archive.delta import delta
from postroom.archive.lock import Held, together
from postroom.archive.repository import READERS_FILE, Repository
from tests.archive.kept import commit, git, repository_in


@given(st.binary(max_size=300), st.binary(max_size=300), st.binary(max_size=300))
def test_a_difference_makes_the_new_of_the_old(head: bytes, middle: bytes, tail: bytes) -> None:
    old, new = head + tail, head + middle + tail
    for a, b in ((old, new), (new, old), (b"", new), (new, b"")):
        assert _applied(a, delta(a, b)) == b


def _applied(old: bytes, changes: bytes) -> bytes:
    """Apply a delta, told independently of how it is made."""
    at, sizes = 0, []
    for _ in range(2):
        size = shift = 0
        while True:
            byte = changes[at]
            size |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if not byte & 0x80:
                break
        sizes.append(size)
    out = b""
    while at < len(changes):
        command = changes[at]
        at += 1
        if command & 0x80:
            numbers = bytearray(7)
            for number in range(7):
                if command >> number & 1:
                    numbers[number] = changes[at]
                    at += 1
            start = int.from_bytes(numbers[:4], "little")
            size = int.from_bytes(numbers[4:], "little") or 0x10000
            out += old[start : start + size]
        else:
            out += changes[at : at + command]
            at += command
    assert sizes == [len(old), len(out)]
    return out


def grown(folder: Path, commits: int = 45, each: int = 12) -> Repository:
    """A repository whose month has become a large folder, in many packs."""
    repository = repository_in(folder)
    chance = random.Random(1)
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


@pytest.mark.parametrize("at", [1, 30, 100, 112, 113, 114, 115, 116, 117, 120])
def test_m32_a_killed_compaction_blocks_nothing(tmp_path: Path, at: int) -> None:
    repository = grown(tmp_path, commits=6, each=10)
    before = git(repository.path, "rev-parse", "main^{tree}")
    command = [sys.executable, "-c", KILLED, str(tmp_path / "wfl_1"), str(at)]
    subprocess.run(command, check=False, capture_output=True)
    assert git(repository.path, "fsck", "--strict", "--full") == ""
    assert git(repository.path, "rev-parse", "main^{tree}") == before
    fresh = repository_in(tmp_path)
    assert commit(fresh, {"a/b.md": b"x"})
    compact(tmp_path / "wfl_1")
    assert len(list((fresh.path / "objects/pack").iterdir())) <= 4
    assert git(fresh.path, "fsck", "--strict", "--full") == ""
