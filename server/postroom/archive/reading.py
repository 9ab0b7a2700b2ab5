"""Reading a project's archive at its newest commit, while nobody moves its packs."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pygit2

from postroom.archive import git
from postroom.archive.commit import last_taken
from postroom.archive.git import ArchiveFailure
from postroom.archive.lock import together
from postroom.archive.packfile import ObjectId
from postroom.archive.repository import GIT_FOLDER, HEAD_FILE, READERS_FILE
from postroom.archive.tree import entries


@dataclass(frozen=True, slots=True)
class Head:
    """The newest commit: its id, when it was made, and the last outbox number it notes."""

    id: ObjectId
    at: int
    last: int | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of the archive; `mode` is Git's, 100644 for the plain files written here."""

    path: str
    mode: bytes
    id: ObjectId


class Snapshot:
    """An archive as it was at one commit. Raises ArchiveFailure for what is damaged."""

    def __init__(self, folder: Path, repository: pygit2.Repository) -> None:
        self._folder = folder
        self._repository = repository
        self._head = git.head(repository)

    @property
    def head(self) -> Head | None:
        """The newest commit, None when there is none."""
        if self._head is None:
            return None
        with git.told():
            found = git.commit(self._repository, self._head)
            return Head(self._head, found.commit_time, last_taken(found.message))

    def files(self) -> Iterator[Listed]:
        """All files, in Git's order."""
        if self._head is not None:
            with git.told():
                root = git.commit(self._repository, self._head).tree_id.raw
            yield from self._within("", root)

    def content(self, id: ObjectId) -> bytes:
        """The content of a file."""
        with git.told():
            _, data = self._repository.read(pygit2.Oid(raw=id))
            return data

    def is_cut(self) -> bool:
        """Whether the commit that the writer noted last is no part of the branch's history."""
        with contextlib.suppress(OSError, ValueError):
            noted = pygit2.Oid(hex=(self._folder / HEAD_FILE).read_text().strip())
            return self._head is None or not self._reaches(noted)
        return False

    def _reaches(self, noted: pygit2.Oid) -> bool:
        assert self._head is not None
        if noted.raw == self._head:
            return True
        if noted not in self._repository:
            return False
        return self._repository.descendant_of(pygit2.Oid(raw=self._head), noted)

    def _within(self, folder: str, id: ObjectId) -> Iterator[Listed]:
        for entry in entries(self.content(id)):
            path = f"{folder}{entry.name.decode(errors='replace')}"
            if entry.is_folder:
                yield from self._within(f"{path}/", entry.id)
            else:
                yield Listed(path, entry.mode, entry.id)


def is_there(folder: Path) -> bool:
    """Whether a project's folder holds a repository with a commit in it."""
    path = folder / GIT_FOLDER
    return any((path / name).is_file() for name in (git.BRANCH, "packed-refs"))


@contextlib.contextmanager
def reading(folder: Path) -> Iterator[Snapshot]:
    """Read a project's archive. Raises ArchiveFailure when it is none."""
    if not is_there(folder):
        raise ArchiveFailure(f"there is no archive in {folder}")
    with git.told(), together(folder / READERS_FILE), git.opened(folder / GIT_FOLDER) as opened:
        yield Snapshot(folder, opened)
