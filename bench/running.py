"""Start the server under test as a process of its own, and end it."""

import contextlib
import json
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.placement import Cores, on
from bench.ports import free_port, must_listen
from bench.spread import Cast
from bench.trouble import Trouble

_START_SECONDS = 60
_STOP_SECONDS = 20


@dataclass(frozen=True)
class Running:
    """Where a started server listens, and whether it speaks JSON."""

    grpc: int
    http: int
    empty: int
    has_json: bool


@contextlib.contextmanager
def server(
    database: str,
    casts: Mapping[str, Cast],
    cores: Cores,
    folder: Path,
    archive: str = "messages",
) -> Iterator[Running]:
    """A server on these cores; it ends with the block."""
    ports = {name: free_port() for name in ("grpc", "http", "empty")}
    given = {
        "database": database,
        "archive": archive,
        "casts": {method: list(asdict(cast).values()) for method, cast in casts.items()},
        **ports,
    }
    log = folder / f"server-{ports['grpc']}.log"
    with on(cores), log.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench.server", json.dumps(given)],
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
    try:
        told = _first_line(process, log)
        for port in ports.values():
            must_listen(port)
        yield Running(**ports, has_json=told["json"])
        _must_live(process, log)
    finally:
        _end(process)


def _first_line(process: subprocess.Popen[bytes], log: Path) -> dict[str, bool]:
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], _START_SECONDS)
    line = process.stdout.readline() if readable else b""
    if not line:
        raise Trouble(f"the server did not start:\n{_tail(log)}")
    told: dict[str, bool] = json.loads(line)
    return told


def _must_live(process: subprocess.Popen[bytes], log: Path) -> None:
    if process.poll() is not None:
        raise Trouble(f"the server ended by itself:\n{_tail(log)}")


def _tail(log: Path) -> str:
    return log.read_text(errors="replace")[-2000:]


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()
