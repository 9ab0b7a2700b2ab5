"""The repository as Git itself sees it."""

from io import BufferedWriter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroom.archive import git as libgit
from postroom.archive import packfile
from postroom.archive.commit import Author, BadAuthor
from postroom.archive.git import ArchiveFailure
from postroom.archive.lock import Held, alone
from postroom.archive.pack import TREE, Pack
from postroom.archive.repository import LOCK_FILE
from postroom.archive.tree import Folder, Tree
from tests.archive.kept import commit, git, repository_in
from tests.doubles import START

FIRST = {"messages/2026/12/msg_1.md": b"one", "agents/A/inbox/2026/12/msg_1.md": b"two"}


def test_a_commit_holds_the_files_and_says_nothing_of_them(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    assert commit(repository, FIRST, last=7)
    shown = git(repository.path, "show", "--format=%an %ae %at %ai%n%cn %ct%n%B", "--raw", "main")
    assert "postroom postroom@localhost 1796117400 2026-12-01 09:30:00 +0000" in shown
    assert "Archive 2 messages\n\nPostroom-Outbox: 7" in shown
    for path, content in FIRST.items():
        assert git(repository.path, "show", f"main:{path}") == content.decode()
    assert git(repository.path, "fsck", "--strict") == ""
    assert git(repository.path, "symbolic-ref", "HEAD") == "refs/heads/main\n"


def test_the_same_batches_make_the_same_bytes(tmp_path: Path) -> None:
    heads = set()
    for name in ("one", "two"):
        repository = repository_in(tmp_path / name)
        commit(repository, FIRST)
        commit(repository, {"messages/2026/12/msg_2.md": b"three"}, 2, START + 10**6)
        heads.add(git(repository.path, "rev-parse", "main"))
    assert len(heads) == 1


def test_taking_again_what_is_there_makes_no_commit(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    assert commit(repository, FIRST)
    before = git(repository.path, "rev-parse", "main")
    for again in (repository, repository_in(tmp_path)):
        assert not commit(again, FIRST, last=9)
    assert git(repository.path, "rev-parse", "main") == before


def test_m31_a_commit_reads_no_folder_again_and_writes_the_touched_ones_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = repository_in(tmp_path)
    many = {
        f"messages/2026/{month:02}/msg_{n}.md": b"x" for month in range(1, 13) for n in range(9)
    }
    commit(repository, many)

    def read(*_: object) -> None:
        raise AssertionError("a folder was read")

    monkeypatch.setattr(Folder, "__init__", read)
    written = []
    add = Pack.add

    def noted(pack: Pack, kind: bytes, data: bytes) -> bytes:
        written.append(kind)
        return add(pack, kind, data)

    monkeypatch.setattr(Pack, "add", noted)
    commit(repository, {"messages/2026/12/msg_z.md": b"y"})
    # The root, messages, 2026, 12.
    assert (written.count(b"tree"), written.count(b"blob")) == (4, 1)


def test_a_clock_that_went_back_keeps_the_history_in_order(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    commit(repository, FIRST)
    commit(repository, {"messages/2026/11/msg_0.md": b"x"}, at=START - 10**12)
    times = git(repository.path, "log", "--format=%ct", "main").split()
    assert times == ["1796117400", "1796117400"]


def test_everything_belongs_to_its_user_alone(tmp_path: Path) -> None:
    commit(repository_in(tmp_path), FIRST)
    for path in tmp_path.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
    assert not list(tmp_path.rglob("hooks"))


def test_another_writer_s_commits_are_seen(tmp_path: Path) -> None:
    one, other = repository_in(tmp_path), repository_in(tmp_path)
    commit(one, FIRST)
    commit(other, {"messages/2026/12/msg_2.md": b"x"})
    commit(one, {"messages/2026/12/msg_3.md": b"y"})
    listed = git(one.path, "ls-tree", "-r", "--name-only", "main").split()
    assert len(listed) == 4
    assert git(one.path, "rev-list", "--count", "main") == "3\n"


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    commit(repository, FIRST)
    with alone(tmp_path / "wfl_1" / LOCK_FILE), pytest.raises(Held):
        commit(repository, {"a/b.md": b"x"})
    assert commit(repository, {"a/b.md": b"x"})


def test_what_a_dead_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    commit(repository_in(tmp_path), FIRST)
    path = tmp_path / "wfl_1/repo.git"
    left = [
        "refs/heads/main.lock", "HEAD.lock", "packed-refs.lock", "index.lock", "config.lock",
        "objects/pack/tmp_pack_1", "objects/pack/pack-00.pack",
    ]  # fmt: skip
    for name in left:
        (path / name).write_bytes(b"x")
    assert commit(repository_in(tmp_path), {"a/b.md": b"x"})
    assert not [name for name in left if (path / name).exists()]
    assert git(path, "fsck", "--strict") == ""


def test_git_does_not_look_at_what_is_not_whole_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[str] = set()
    sync = packfile._sync

    def noted(file: BufferedWriter) -> None:
        seen.update(path.suffix for path in (tmp_path / "wfl_1/repo.git/objects/pack").iterdir())
        sync(file)

    monkeypatch.setattr(packfile, "_sync", noted)
    commit(repository_in(tmp_path), FIRST)
    assert seen == {""}


def test_a_failure_in_the_middle_leaves_the_last_commit_and_the_next_one_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = repository_in(tmp_path)
    commit(repository, FIRST)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for broken in ("move",):
        with monkeypatch.context() as patched:
            patched.setattr(libgit, broken, full)
            with pytest.raises(ArchiveFailure, match="No space"):
                commit(repository, {"a/b.md": b"x"})
        assert git(repository.path, "rev-list", "--count", "main") == "1\n"
    assert commit(repository, {"a/b.md": b"x"})
    assert git(repository.path, "fsck", "--strict", "--no-dangling") == ""


@given(st.lists(st.from_regex(r"[a-z0-9._-]{1,6}(/[a-z0-9._-]{1,6}){0,2}", fullmatch=True)))
def test_trees_are_those_that_git_makes(paths: list[str]) -> None:
    # A name is either a file or a folder, never both, and no dots alone.
    kept: list[str] = []
    for path in paths:
        parts = path.split("/")
        above = {"/".join(parts[:n]) for n in range(1, len(parts))}
        clash = any(other in above or other.startswith(f"{path}/") for other in kept)
        if not clash and not any(part.strip(".") == "" for part in parts):
            kept.append(path)
    tree, pack = Tree(None, lambda _: b""), Pack()
    blob = bytes.fromhex("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
    for path in kept:
        tree.set(path, blob)
    assert all(tree.find(path) == blob for path in kept)
    assert tree.write(pack).hex() == _git_tree(sorted(set(kept)), blob.hex())


def _git_tree(paths: list[str], blob: str) -> str:
    """The id of the tree, by Git's rule of sorting, told independently."""

    def make(inside: list[str]) -> bytes:
        names = sorted({p.split("/")[0] for p in inside}, key=lambda n: _key(n, inside))
        raw = b""
        for name in names:
            below = [p.partition("/")[2] for p in inside if p.startswith(f"{name}/")]
            if below:
                raw += b"40000 " + name.encode() + b"\0" + make(below)
            else:
                raw += b"100644 " + name.encode() + b"\0" + bytes.fromhex(blob)
        return Pack().add(TREE, raw)

    return make(paths).hex()


def _key(name: str, inside: list[str]) -> bytes:
    is_folder = any(path.startswith(f"{name}/") for path in inside)
    return (f"{name}/" if is_folder else name).encode()


@pytest.mark.parametrize(
    "text", ["", "a", "<a@b>", "a <>", "a <b c>", "a\n <b>", "a <b> c", " <b>"]
)
def test_an_author_that_git_would_misread_is_refused(text: str) -> None:
    with pytest.raises(BadAuthor):
        Author(text)
