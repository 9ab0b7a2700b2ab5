"""Files that hold secrets, and who else can reach them."""

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from postroom.cli.doctor.finding import Finding, ok, problem, warning

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class Entry:
    """A path, and what the system says of it: its mode and owner, or why it says nothing."""

    path: Path
    mode: int = 0
    owner: int = -1
    error: str = ""

    @classmethod
    def of(cls, path: Path) -> "Entry":
        """Look at a path."""
        try:
            found = path.stat()
        except OSError as error:
            return cls(path, error=error.strerror or "it cannot be looked at")
        return cls(path, found.st_mode, found.st_uid)


def secret(name: str, file: Entry, me: int) -> Finding:
    """Check a file that only its user may open."""
    path = file.path
    if file.error:
        return problem(f"{name} {path} cannot be read: {file.error}", "name a file that exists")
    if not stat.S_ISREG(file.mode):
        return problem(f"{name} {path} is no plain file", "put the token into a file")
    if file.mode & _OTHERS:
        return problem(f"{name} {path} is open to other users", f"chmod 600 {path}")
    if me not in (0, file.owner):
        return problem(f"{name} {path} belongs to another user", f"chown {me} {path}")
    return ok(f"{name} {path} is yours alone")


def place(name: str, folder: Entry) -> list[Finding]:
    """Check the folder of such a file: nobody else may put another in its place."""
    if folder.error or not folder.mode & _WRITABLE or folder.mode & stat.S_ISVTX:
        return []
    told = f"other users may write to {folder.path}, where {name} is"
    return [problem(told, f"chmod go-w {folder.path}")]


def data_directory(folder: Entry, parents: Iterable[Entry], me: int) -> list[Finding]:
    """Check the server's own folder and those that it lies in."""
    found = [_directory(folder, me)]
    for parent in parents:
        if not parent.error and parent.mode & stat.S_IWOTH and not parent.mode & stat.S_ISVTX:
            told = f"every user may write to {parent.path}, which the data directory lies in"
            found.append(problem(told, f"chmod o-w {parent.path}"))
    return found


def _directory(folder: Entry, me: int) -> Finding:
    path = folder.path
    if folder.error == os.strerror(errno.ENOENT):
        return ok(f"there is no data directory at {path} yet; the server makes it")
    if folder.error or not stat.S_ISDIR(folder.mode):
        told = f"the data directory {path} cannot be used: {folder.error or 'it is a file'}"
        return problem(told, "name another with --data-dir or POSTROOM_DATA_DIR")
    if folder.owner != me:
        told = f"the data directory {path} belongs to another user (uid {folder.owner})"
        return warning(told, "run the server and this command as the same user")
    if folder.mode & _OTHERS:
        is_writable = folder.mode & _WRITABLE
        judge, what = (problem, "write to") if is_writable else (warning, "look into")
        return judge(f"other users may {what} the data directory {path}", f"chmod 700 {path}")
    return ok(f"the data directory {path} is yours alone")
