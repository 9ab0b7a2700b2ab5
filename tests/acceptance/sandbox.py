"""Mounts that only one server sees: a disk that is full, a disk that is read-only."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

# Somebody who is not root first becomes root of a namespace of his own.
ENTER = ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--mount", "--map-root-user")


def small_disk(folder: Path, kibibytes: int) -> Sequence[str]:
    """A wrapper for a command that sees a small, empty disk in this folder."""
    return _entering(f"mount -t tmpfs -o size={kibibytes}k tmpfs {shlex.quote(str(folder))}")


def read_only(folder: Path) -> Sequence[str]:
    """A wrapper for a command that can change nothing in this folder."""
    quoted = shlex.quote(str(folder))
    return _entering(f"mount --bind {quoted} {quoted} && mount -o remount,bind,ro {quoted}")


def seen_by(pid: int, path: Path) -> Path:
    """The path under which others find what a process sees."""
    return Path(f"/proc/{pid}/root") / path.relative_to("/")


def _entering(mounting: str) -> Sequence[str]:
    # exec keeps the process's id, so that it can be ended by it.
    return (*ENTER, "sh", "-c", f'{mounting} && exec "$@"', "sh")
