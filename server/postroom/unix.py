"""Unix sockets that only the server's own user can reach."""

import os
import socket
import stat
from pathlib import Path

_LONGEST = 107
_BACKLOG = 2048


class NotPrivate(Exception):
    """The path is no place for a socket; the text says why."""


def prepare(path: Path) -> None:
    """Make the folder, and remove a socket that nobody listens on. Raises NotPrivate, OSError."""
    if len(os.fsencode(path)) > _LONGEST:
        raise NotPrivate(f"--unix-socket is longer than {_LONGEST} bytes; choose a shorter path")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.parent.stat()
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        told = f"--unix-socket needs a folder that only you can open; run: chmod 700 {path.parent}"
        raise NotPrivate(told)
    if path.is_socket() and not _answers(path):
        path.unlink()


def bind(path: Path) -> socket.socket:
    """Take the path. Raises OSError when another server has it."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(str(path)) == 0
