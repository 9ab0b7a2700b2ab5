"""A real `postroom serve`: a process of its own, on real ports of loopback."""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.acceptance.doors import Door, http_get, open_door
from tests.acceptance.polling import eventually

ANY_PORT = "127.0.0.1:0"
START_SECONDS = 20.0
# Limits that load does not reach; tests of the limits set their own.
NO_LIMITS = {"POSTROOM_EXCHANGE_LIMIT": "10000000", "POSTROOM_MAILBOX_LIMIT": "10000000"}

_numbers = itertools.count(1)


class DidNotStart(AssertionError):
    """The process ended, or stayed silent, instead of announcing its ports."""


class Server:
    """One server process; a stopped or killed one can be started again."""

    def __init__(
        self,
        folder: Path,
        database: str,
        *,
        grpc: str = ANY_PORT,
        http: str = ANY_PORT,
        settings: Mapping[str, str] = NO_LIMITS,
        wrapper: Sequence[str] = (),
    ) -> None:
        self._folder = folder
        self._number = next(_numbers)
        self._command = [*wrapper, *serve_command(database, grpc, http)]
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._doors: list[Door] = []
        self._launched_at = 0.0
        self.grpc = self.http = ""
        # The lines that it printed when it was ready: what is where.
        self.announced: dict[str, str] = {}
        # How long the last start took, until both ports were announced.
        self.start_seconds = 0.0

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The process that was started last."""
        assert self._process is not None, "the server was never started"
        return self._process

    @property
    def pid(self) -> int:
        """The process's id."""
        return self.process.pid

    def launch(self) -> None:
        """Start the process and wait for nothing."""
        assert self._process is None or self._process.poll() is not None
        self._announced.unlink(missing_ok=True)
        self._launched_at = time.monotonic()
        with self._announced.open("wb") as out, self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
                cwd=self._folder,
                env=environment(self._folder) | dict(self._settings),
                start_new_session=True,
            )

    def start(self) -> "Server":
        """Start the process and wait for its two lines."""
        self.launch()
        if not self.await_decision():
            raise DidNotStart(f"exit status {self.process.returncode}: {self.log()}")
        return self

    def await_decision(self) -> bool:
        """Wait until the process has announced its ports, or ended; whether it serves."""
        eventually(self._has_spoken, START_SECONDS, "the server announces its ports")
        self.start_seconds = time.monotonic() - self._launched_at
        lines = self._lines()
        if len(lines) < len(("grpc", "http")):
            return False
        self.announced = dict(line.split(" ", 1) for line in lines)
        self.grpc, self.http = self.announced["grpc"], self.announced["http"]
        return True

    def fail_to_start(self, seconds: float = START_SECONDS) -> tuple[int, str]:
        """Start a process that must end by itself, silent on stdout; its status and stderr."""
        self.launch()
        status = self.wait(seconds)
        assert self._announced.read_text() == ""
        return status, self.log()

    def door(self, kind: str) -> Door:
        """A client of this server through "grpc", "json" or "mcp"; closed with the server."""
        door = open_door(kind, self.grpc, self.http)
        self._doors.append(door)
        return door

    def is_ready(self) -> bool:
        """Whether /readyz says that calls can be served."""
        with contextlib.suppress(OSError):
            return http_get(self.http, "/readyz").status == 200
        return False

    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self.process.poll() is None

    def kill(self) -> None:
        """End the process as a crash would."""
        self.process.kill()
        self.process.wait()

    def terminate(self) -> None:
        """Ask the process to stop; returns at once."""
        self.process.send_signal(signal.SIGTERM)

    def wait(self, seconds: float) -> int:
        """Wait for the end and return the exit status."""
        return self.process.wait(seconds)

    def stop(self) -> int:
        """Ask the process to stop, wait for it, and return the exit status."""
        self.terminate()
        return self.wait(START_SECONDS)

    def log(self) -> str:
        """What the process wrote to stderr, all its starts together."""
        return self._log.read_text(errors="replace")

    def end(self) -> None:
        """Leave nothing behind, whatever became of the test."""
        for door in self._doors:
            door.close()
        if self._process is not None and self._process.poll() is None:
            self.kill()

    @property
    def _log(self) -> Path:
        return self._folder / f"server-{self._number}.err"

    @property
    def _announced(self) -> Path:
        return self._folder / f"server-{self._number}.out"

    def _lines(self) -> list[str]:
        text = self._announced.read_text()
        return text.splitlines() if text.endswith("\n") else []

    def _has_spoken(self) -> bool:
        return len(self._lines()) > 1 or not self.is_alive()


def serve_command(database: str, grpc: str = ANY_PORT, http: str = ANY_PORT) -> list[str]:
    """The command line of a server."""
    listeners = ["--grpc", grpc, "--http", http]
    return [sys.executable, "-m", "postroom", "serve", *listeners, "--database", database]


def environment(home: Path) -> dict[str, str]:
    """The environment of a machine on which nothing is set up."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8"}


@contextlib.contextmanager
def ended(server: Server) -> Iterator[Server]:
    """Leave no process behind."""
    try:
        yield server
    finally:
        server.end()
