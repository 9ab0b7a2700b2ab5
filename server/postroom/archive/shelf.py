"""Shelf: the folder in which each project has its repository."""

from collections.abc import Iterator
from pathlib import Path

from postroom.archive.commit import Author
from postroom.archive.paths import NoPath, is_id
from postroom.archive.reading import is_there
from postroom.archive.repository import Repository

# Folders of this many projects are remembered; those of others are read again.
_MOST_REMEMBERED = 16


class Shelf:
    """Finds repositories by the id of their project."""

    def __init__(self, root: Path, author: Author) -> None:
        self.root = root
        self._author = author
        self._open: dict[str, Repository] = {}

    def folder(self, project_id: str) -> Path:
        """Where a project's repository and files are."""
        if not is_id(project_id):
            raise NoPath(f"{project_id!r} is no id of a project")
        return self.root / project_id

    def repository(self, project_id: str) -> Repository:
        """The repository of a project, whether it is there already or not."""
        known = self._open.pop(project_id, None)
        if known is None:
            known = Repository(self.folder(project_id), self._author)
        self._open[project_id] = known
        while len(self._open) > _MOST_REMEMBERED:
            del self._open[next(iter(self._open))]
        return known

    def projects(self) -> Iterator[str]:
        """The ids of the projects that have a repository."""
        yield from projects(self.root)


def projects(root: Path) -> Iterator[str]:
    """The ids of the projects that have a repository in a folder."""
    if root.is_dir():
        for folder in sorted(root.iterdir()):
            if is_id(folder.name) and is_there(folder):
                yield folder.name
