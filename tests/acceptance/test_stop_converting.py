"""SIGTERM while images are converted: who cannot be served any more is told so in time."""

import contextlib
import os
import re
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import Serving, on
from tests.acceptance.doors import HAS_MCP, Refused, http_get
from tests.acceptance.polling import eventually, figure
from tests.acceptance.server import Server
from tests.attaching.pictures import noise, saved

KEY = "/abs/path/backend"
DOORS = ["grpc", "json", *(["mcp"] if HAS_MCP else [])]
STOP_SECONDS, WORKERS = figure(10.0), 2

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for workers in /proc")


@on("sqlite")
def test_calls_whose_image_is_not_done_in_time_are_told_that_the_server_stops(
    serving: Serving,
) -> None:
    server = serving()
    for kind in DOORS:
        # What loads late, as the MCP library does, is loaded now.
        server.door(kind).call("EnsureProject", project_key=KEY)
    for name in ("alfa", "bravo"):
        server.door("grpc").call("RegisterAgent", project_key=KEY, name=name, contact_policy="open")
    message: dict[str, Any] = {
        "project_key": KEY,
        "sender_name": "alfa",
        "to": ["bravo"],
        "subject": "s",
    }
    attached = [{"filename": "a.png", "data": saved(noise(200, 200))}]

    def send(kind: str) -> Any:
        try:
            return server.door(kind).call("SendMessage", **message, attachments=attached)
        except Refused as refused:
            return refused.code, refused.reason

    with ThreadPoolExecutor(len(DOORS) * 2) as pool:
        calls = [pool.submit(send, kind) for kind in DOORS * 2]
        stopped: set[int] = set()
        eventually(lambda: _held(server.pid, stopped) == WORKERS, STOP_SECONDS, "workers start")
        eventually(lambda: _begun(server) == len(calls), STOP_SECONDS, "all calls begin")
        server.terminate()
        assert server.wait(STOP_SECONDS) == 0
        assert [call.result() for call in calls] == [("UNAVAILABLE", "STOPPING")] * len(calls)
    assert not any(map(_is_alive, stopped))


def _held(server: int, stopped: set[int]) -> int:
    """Keep the server's workers from doing anything; how many there are."""
    for task in Path(f"/proc/{server}/task").iterdir():
        # A thread, or a worker, may end while it is looked at.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for child in {int(pid) for pid in (task / "children").read_text().split()} - stopped:
                # Until a worker runs a program of its own, the server waits for it to start.
                if _program(child) != _program(server):
                    os.kill(child, signal.SIGSTOP)
                    stopped.add(child)
    return len(stopped)


def _program(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _begun(server: Server) -> int:
    """How many messages the server was asked to send."""
    page = http_get(server.http, "/metrics").body.decode()
    started = re.search(r'^grpc_server_started_total{.*"SendMessage".*} (\S+)$', page, re.MULTILINE)
    return int(float(started[1])) if started else 0


def _is_alive(worker: int) -> bool:
    return Path(f"/proc/{worker}").exists()
