"""Locks of the operating system, which end with the process that holds them."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


class Held(Exception):
    """Another process has the lock."""


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock that a file stands for. Raises Held, and OSError.

    The file itself says nothing and is never removed, so nothing is left that a person
    would have to clean up.
    """
    with _opened(path) as descriptor:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Held(f"another process is at work in {path.parent}") from None
        yield


@contextlib.contextmanager
def together(path: Path) -> Iterator[None]:
    """Wait until nobody holds the lock alone, and let nobody do so meanwhile."""
    with _opened(path) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
