"""libgit2 set up for archives: nothing of the machine's or the user's Git plays a part.

Repositories are opened by their path, so no GIT_ variable is read; the search for other
people's configuration, attributes and templates is switched off here.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pygit2
from pygit2.enums import ConfigLevel

from postroom.archive.packfile import ObjectId, flush

BRANCH = "refs/heads/main"
_CONFIG = """[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\thooksPath = /dev/null
\tlogAllRefUpdates = false
[gc]
\tauto = 0
"""

for _level in (ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL, ConfigLevel.PROGRAMDATA):
    pygit2.settings.search_path[_level] = ""
# What moves a branch is flushed to disk before it is said to be done.
pygit2.settings.enable_fsync_gitdir(True)


class ArchiveFailure(Exception):
    """The archive cannot be read or written now; the text says what the system says."""


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Tell what libgit2 or the system says as ArchiveFailure."""
    try:
        yield
    except (pygit2.GitError, OSError, KeyError, ValueError) as error:
        text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ArchiveFailure(text) from error


@contextlib.contextmanager
def opened(path: Path) -> Iterator[pygit2.Repository]:
    """A repository whose files are closed again in the end."""
    repository = pygit2.Repository(str(path))
    try:
        yield repository
    finally:
        repository.free()


def make(path: Path) -> None:
    """Put an empty repository in place at once, for this user alone. Raises OSError."""
    with tempfile.TemporaryDirectory(prefix=".repo-", dir=path.parent) as folder:
        fresh = Path(folder) / "repo.git"
        pygit2.init_repository(str(fresh), bare=True, initial_head="main").free()
        (fresh / "config").write_text(_CONFIG)
        for left_out in ("hooks", "info", "description"):
            _remove(fresh / left_out)
        _settle(fresh)
        fresh.rename(path)
    # The folder of the project, and those above that may be new as well.
    for above in (path.parent, path.parent.parent, path.parent.parent.parent):
        flush(above)


def head(repository: pygit2.Repository) -> ObjectId | None:
    """The newest commit's id, None in an empty repository."""
    if BRANCH not in repository.references:
        return None
    target = repository.references[BRANCH].target
    assert isinstance(target, pygit2.Oid)
    return target.raw


def commit(repository: pygit2.Repository, id: ObjectId) -> pygit2.Commit:
    """A commit by its id."""
    found = repository[pygit2.Oid(raw=id)]
    if not isinstance(found, pygit2.Commit):
        raise ArchiveFailure("the branch does not point to a commit")
    return found


def move(repository: pygit2.Repository, old: ObjectId | None, new: ObjectId) -> None:
    """Let the branch point to a commit, unless somebody has moved it meanwhile."""
    target = pygit2.Oid(raw=new)
    if old is None:
        repository.references.create(BRANCH, target)
    elif head(repository) == old:
        repository.references[BRANCH].set_target(target)
    else:
        raise ArchiveFailure("somebody else moved the branch meanwhile")
    (Path(repository.path) / BRANCH).chmod(0o600)


def _settle(folder: Path) -> None:
    """Let nobody but this user at a folder and all that is in it, and flush it to disk."""
    for each in (*folder.rglob("*"), folder):
        each.chmod(0o700 if each.is_dir() else 0o600)
        flush(each)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
