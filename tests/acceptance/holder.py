"""Another program that holds the write lock of a SQLite file.

    python -m tests.acceptance.holder FILE

It says `held` once it holds the lock, and lets go when its stdin is closed.
"""

import contextlib
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Let another process hold the lock for as long as the block lasts."""
    command = [sys.executable, __file__, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        yield


def hold(path: str) -> None:
    """Hold the lock until stdin ends."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        print("held", flush=True)
        sys.stdin.read()
        connection.execute("ROLLBACK")


if __name__ == "__main__":
    hold(sys.argv[1])
