"""A PostgreSQL of the tests' own: a new cluster in a temporary folder, on loopback."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Ample for a suite that opens stores side by side.
_SETTINGS = "-c max_connections=200 -c fsync=off -c unix_socket_directories="


@dataclass(frozen=True)
class Server:
    """A running server: where it is, and how to stop and start it again."""

    url: str
    binaries: Path
    data: Path
    port: int

    def control(self, *arguments: str) -> None:
        """Run pg_ctl."""
        run_unprivileged(self.binaries / "pg_ctl", "-w", "-D", self.data, *arguments)

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 {_SETTINGS}"
        self.control("-l", str(self.data.parent / "log"), "-o", options, "start")

    def new_database(self, name: str) -> str:
        """Make an empty database and return its URL."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return self.url.replace("/postgres", f"/{name}")


def find_binaries() -> Path | None:
    """The folder of initdb and pg_ctl, None when PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    if found:
        return found[0].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path and shutil.which("pg_ctl") else None


@contextlib.contextmanager
def running(binaries: Path) -> Iterator[Server]:
    """Start a new server; it ends with its data when the block does."""
    folder = Path(tempfile.mkdtemp(prefix="postroom-postgres-"))
    user = _unprivileged()
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)
    port = free_port()
    url = f"postgresql://postroom@127.0.0.1:{port}/postgres"
    server = Server(url, binaries, folder / "data", port)
    try:
        run_unprivileged(
            binaries / "initdb", "-U", "postroom", "-A", "trust", "-E", "UTF8", "-N", server.data
        )
        server.start()
        yield server
        server.control("-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    """A port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run_unprivileged(*command: Path | str) -> None:
    """Run a command as somebody who is not root, which PostgreSQL asks for."""
    user = _unprivileged()
    who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
    done = subprocess.run(
        [str(part) for part in command],
        check=False,
        cwd="/",
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        **who,  # type: ignore[call-overload]
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()}")


def _unprivileged() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("PostgreSQL does not run as root, and there is no user to run it as")
