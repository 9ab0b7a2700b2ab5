"""One project's repository, for its one writer.

A batch becomes one pack, flushed to disk, and then one step of the branch, flushed as well.
Only then does the database forget what was taken. A process that dies at any point leaves
a repository in order: at most a pack that nothing refers to.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pygit2

from postroom.archive import git
from postroom.archive.commit import Author, Note, commit_object
from postroom.archive.lock import alone
from postroom.archive.pack import BLOB, COMMIT, Pack, object_id
from postroom.archive.packfile import ObjectId
from postroom.archive.tree import Tree

GIT_FOLDER = "repo.git"
# The commit that was written last; beside the repository, so that a branch which somebody
# moved back is found out (verifying.py).
HEAD_FILE = "head"
LOCK_FILE = "writer.lock"
# Held by those who read while packs must stay where they are.
READERS_FILE = "readers.lock"
# Rows of folders that are kept in memory, at some 110 bytes each.
_MOST_ROWS = 500_000


class Repository:
    """Remembers the folders of its newest commit, so that the next one reads nothing again."""

    def __init__(self, folder: Path, author: Author) -> None:
        self.path = folder / GIT_FOLDER
        self.author = author
        self._folder = folder
        self._tree: Tree | None = None
        self._is_clean = False

    @property
    def rows(self) -> int:
        """How many rows of folders are in memory."""
        return self._tree.rows if self._tree else 0

    @contextlib.contextmanager
    def writing(self) -> Iterator["Writing"]:
        """Be the one writer. Raises Held when another process is, and ArchiveFailure."""
        with git.told():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with alone(self._folder / LOCK_FILE):
                self._prepare()
                with git.opened(self.path) as repository:
                    yield Writing(self, repository)

    def tree_of(self, repository: pygit2.Repository, head: ObjectId | None) -> Tree:
        """The folders of a commit."""
        root = git.commit(repository, head).tree_id.raw if head else None

        def read(id: ObjectId) -> bytes:
            return repository.read(pygit2.Oid(raw=id))[1]

        kept = self._tree
        if kept is None or kept.id != root or kept.rows > _MOST_ROWS:
            return Tree(root, read)
        kept.read = read
        return kept

    def forget(self) -> None:
        """Remember no folders: they are being changed."""
        self._tree = None

    def remember(self, tree: Tree, head: ObjectId | None = None) -> None:
        """Keep the folders of the newest commit, and note that commit if it is new."""
        self._tree = tree
        if head:
            fresh = self._folder / f"{HEAD_FILE}.new"
            fresh.touch(mode=0o600)
            fresh.write_text(f"{head.hex()}\n")
            fresh.rename(self._folder / HEAD_FILE)

    def _prepare(self) -> None:
        if not self.path.exists():
            git.make(self.path)
        if not self._is_clean:
            clean(self.path)
            self._is_clean = True


class Writing:
    """Gathers files and commits them, as often as is wanted while the lock is held."""

    def __init__(self, owner: Repository, repository: pygit2.Repository) -> None:
        self._owner = owner
        self._repository = repository
        self._head = git.head(repository)
        self._tree = owner.tree_of(repository, self._head)
        self._pack = Pack()

    @property
    def size(self) -> int:
        """Bytes gathered since the last commit."""
        return self._pack.size

    def has(self, path: str) -> bool:
        """Whether the file is in the repository, or gathered."""
        return self._tree.find(path) is not None

    def add(self, path: str, content: bytes) -> None:
        """Put a file in its place, unless it is there as it is."""
        id = object_id(BLOB, content)
        self._owner.forget()
        if self._tree.set(path, id):
            self._pack.put(id, BLOB, content)

    def commit(self, note: Note) -> bool:
        """Commit what was gathered, safe on disk; False when the repository had it all."""
        before, head = self._tree.id, self._head
        root = self._tree.write(self._pack)
        if root == before:
            self._pack = Pack()
            self._owner.remember(self._tree)
            return False
        after = git.commit(self._repository, head).commit_time if head else 0
        made = commit_object(root, head, after, self._owner.author, note)
        self._head = self._pack.add(COMMIT, made)
        self._pack.write(self._owner.path / "objects/pack")
        git.move(self._repository, head, self._head)
        self._owner.remember(self._tree, self._head)
        self._pack = Pack()
        return True


def clean(path: Path) -> None:
    """Remove what a writer that died has left. For whoever holds the lock."""
    for left in path.rglob("*.lock"):
        left.unlink()
    packs = path / "objects/pack"
    for left in packs.glob("tmp_*"):
        left.unlink()
    for pack in packs.glob("*.pack"):
        if not pack.with_suffix(".idx").exists():
            pack.unlink()
