"""A PostgreSQL of the benchmark's own, which flushes what it commits."""

import contextlib
import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg

from bench.ports import free_port
from bench.trouble import Trouble
from tests import postgres

# Unlike the tests' server, this one must not skip fsync.
_OPTIONS = "-c listen_addresses=127.0.0.1 -c max_connections=100 -c unix_socket_directories="


class Cluster:
    """A running server that makes databases."""

    def __init__(self, port: int) -> None:
        self._url = f"postgresql://postroom@127.0.0.1:{port}"
        self._made = 0

    def new_database(self) -> str:
        """Make an empty database and return its URL."""
        self._made += 1
        name = f"bench{self._made}"
        with psycopg.connect(f"{self._url}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"{self._url}/{name}"


def is_installed() -> bool:
    """Whether PostgreSQL's own programs are here."""
    return postgres.find_binaries() is not None


@contextlib.contextmanager
def cluster() -> Iterator[Cluster]:
    """Start a new server; it ends with its data when the block does."""
    binaries = postgres.find_binaries()
    if binaries is None:
        raise Trouble("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="postroom-bench-postgres-"))
    _give_away(folder)
    control = (binaries / "pg_ctl", "-w", "-D", folder / "data")
    run, port = postgres.run_unprivileged, free_port()
    try:
        run(binaries / "initdb", "-U", "postroom", "-A", "trust", "-E", "UTF8", folder / "data")
        run(*control, "-l", folder / "log", "-o", f"-p {port} {_OPTIONS}", "start")
        try:
            yield Cluster(port)
        finally:
            run(*control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _give_away(folder: Path) -> None:
    """Let the user own the folder that tests.postgres runs the server as."""
    if os.geteuid() == 0:
        for name in ("postgres", "nobody"):
            with contextlib.suppress(KeyError):
                user = pwd.getpwnam(name)
                os.chown(folder, user.pw_uid, user.pw_gid)
                return
