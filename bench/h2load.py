"""Load from nghttp2's h2load: HTTP/2 for gRPC, HTTP/1.1 for JSON."""

import re
import subprocess
import tempfile
from pathlib import Path

from bench.target import Measured, Target
from bench.trouble import Trouble

# It can hang; no measurement takes as long as this.
_TIMEOUT = 120
_FINISHED = re.compile(r"finished in ([\d.]+)(us|ms|s|m), ([\d.]+) req/s")
_SUCCEEDED = re.compile(r"status codes: (\d+) 2xx")
_DATA = re.compile(r"\((\d+)\) data")
_MICROSECOND = 1e-6


class H2load:
    """Runs h2load. It reads no grpc-status: whoever measures counts the outcome."""

    name = "h2load"

    def __init__(self, program: str) -> None:
        self._program = program

    def run(self, target: Target, count: int, *, keep_latencies: bool = False) -> Measured:
        """See Load."""
        with tempfile.TemporaryDirectory(prefix="postroom-bench-load-") as folder:
            log = Path(folder) / "log"
            command = self._command(target, count, Path(folder) / "body")
            if keep_latencies:
                command.append(f"--log-file={log}")
            told = _output([*command, target.url])
            latencies = _latencies(log) if keep_latencies else ()
        return _measured(told, count, latencies)

    def _command(self, target: Target, count: int, body: Path) -> list[str]:
        shape = ["-c", "1", "-m", str(target.streams)]
        if target.protocol == "http":
            shape = ["--h1", "-c", str(target.streams)]
        command = [self._program, "-t", "1", "-n", str(count), *shape]
        if target.sent:
            body.write_bytes(target.sent)
            command += ["-d", str(body)]
        for name, value in target.headers.items():
            command += ["-H", f"{name}: {value}"]
        return command


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        raise Trouble(f"h2load did not end: {' '.join(command)}") from None
    if done.returncode:
        raise Trouble(f"h2load failed: {done.stderr or done.stdout}")
    return done.stdout


def _measured(told: str, count: int, latencies: tuple[float, ...]) -> Measured:
    finished, succeeded, data = (p.search(told) for p in (_FINISHED, _SUCCEEDED, _DATA))
    if not (finished and succeeded and data) or int(succeeded[1]) != count:
        raise Trouble(f"h2load did not get {count} answers:\n{told}")
    # Its time is rounded, its rate less so.
    return Measured(count, count / float(finished[3]), int(data[1]), latencies)


def _latencies(log: Path) -> tuple[float, ...]:
    lines = log.read_text().splitlines()
    return tuple(int(line.split("\t")[2]) * _MICROSECOND for line in lines)
