"""An archive beside a store, and how Git itself sees it."""

import os
import subprocess
from pathlib import Path
from typing import Any

from postroom.archive.commit import Author, Note
from postroom.archive.reading import reading
from postroom.archive.repository import Repository
from postroom.archive.shelf import Shelf
from postroom.archive.taking import Round, Taker
from postroom.ports import Store
from postroom.rpc.messages import mail_of
from tests.doubles import START

AUTHOR = Author("postroom <postroom@localhost>")


class Archive:
    """Takes what a store's outbox holds, and reads it back."""

    def __init__(self, store: Store, root: Path) -> None:
        self.root = root
        self.store = store
        self.shelf = Shelf(root, AUTHOR)
        self.taker = Taker(store, self.shelf, mail_of)

    def take(self) -> Round:
        """Take everything now; nothing may be left."""
        done = self.taker.take_all()
        assert done.left == 0, done
        return done

    @property
    def folder(self) -> Path:
        """The folder of the only project."""
        (only,) = [each for each in self.root.iterdir() if (each / "repo.git").exists()]
        return only

    @property
    def waiting(self) -> int:
        """How many entries the outbox holds."""
        return len(self.store.read(lambda session: session.outbox(after=0, limit=10_000)))

    def paths(self) -> set[str]:
        """All files."""
        with reading(self.folder) as snapshot:
            return {file.path for file in snapshot.files()}

    def files(self, below: str = "") -> dict[str, bytes]:
        """All files with their content."""
        with reading(self.folder) as snapshot:
            return {
                file.path: snapshot.content(file.id)
                for file in snapshot.files()
                if file.path.startswith(below)
            }

    def git(self, *arguments: str, **more: Any) -> str:
        """What Git says; it must not complain."""
        return git(self.folder / "repo.git", *arguments, **more)

    def commits(self) -> int:
        """How many there are."""
        return int(self.git("rev-list", "--count", "main"))

    def must_be_sound(self) -> None:
        """Git finds nothing to complain of."""
        assert self.git("fsck", "--strict", "--full", "--no-dangling") == ""


def git(folder: Path, *arguments: str, data: bytes | None = None) -> str:
    """Run Git in a repository, untouched by the machine's and the user's own settings."""
    clean = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder)}
    safe = ("-c", f"safe.directory={folder}")
    done = subprocess.run(
        ["git", *safe, *arguments],
        cwd=folder,
        env=clean,
        input=data,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    # Of a repository in which nothing was committed yet.
    said = [line for line in done.stderr.decode().splitlines() if not line.startswith("notice:")]
    return done.stdout.decode(errors="replace") + "\n".join(said)


def commit(repository: Repository, files: dict[str, bytes], last: int = 1, at: int = START) -> bool:
    with repository.writing() as writing:
        for path, content in files.items():
            writing.add(path, content)
        return writing.commit(Note(messages=len(files), last=last, newest=at))


def repository_in(folder: Path) -> Repository:
    return Repository(folder / "wfl_1", AUTHOR)
