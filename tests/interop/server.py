"""A real `postroom serve` on loopback, with a data folder of its own."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interop.ports import free_port

_SECONDS = 30


@dataclass(frozen=True)
class Server:
    """Where a running server is reached."""

    grpc: int
    http: int

    @property
    def target(self) -> str:
        """The address of gRPC."""
        return f"127.0.0.1:{self.grpc}"

    @property
    def url(self) -> str:
        """The address of HTTP."""
        return f"http://127.0.0.1:{self.http}"

    def call(self, method: str, **fields: Any) -> Any:
        """Call a method as the operator, in JSON."""
        request = urllib.request.Request(
            f"{self.url}/agent.v1.AgentService/{method}",
            json.dumps(fields).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            return json.load(answer)

    def agent(self, name: str) -> str:
        """Make an agent and return its id."""
        return str(self.call("CreateAgent", name=name, workflow="interop")["agent"]["id"])


@contextlib.contextmanager
def serving(command: Path | None = None) -> Iterator[Server]:
    """Run a server; it ends when the block does."""
    with tempfile.TemporaryDirectory(prefix="postroom-interop-") as folder:
        server = Server(free_port(), free_port())
        process = subprocess.Popen(
            [
                *([command] if command else [sys.executable, "-m", "postroom"]),
                *("serve", "--grpc", server.target, "--http", f"127.0.0.1:{server.http}"),
                *("--data-dir", folder, "--log-level", "warning"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "POSTROOM_CONFIG": os.devnull},
        )
        try:
            _wait(server, process)
            yield server
        finally:
            process.terminate()
            process.wait(_SECONDS)


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{server.url}/readyz", timeout=1).close()
            return
        time.sleep(0.05)
    raise RuntimeError("the server did not become ready; its own log says why")
