import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from postroom.attaching import pool
from postroom.attaching.failures import Failure, Unusable
from postroom.attaching.pool import WorkerLost, Workers
from postroom.errors import Code, Refusal
from tests.attaching.pictures import drawing, saved

IMAGE = saved(drawing())
HANGING = (
    "import sys; sys.stdin.read(); sys.stdout.write('+'); sys.stdout.flush(); sys.stdin.close();"
)
HANGING += "import signal; signal.pause()"


class Started:
    """Takes note of the workers that are started, in place of which a script runs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.first = threading.Event()
        self._popen = subprocess.Popen
        monkeypatch.setattr(pool, "_COMMAND", (sys.executable, "-I", "-c", script))
        monkeypatch.setattr(subprocess, "Popen", self)

    def __call__(self, *args: object, **options: object) -> "subprocess.Popen[bytes]":
        started: subprocess.Popen[bytes] = self._popen(*args, **options)  # type: ignore[call-overload]
        self.processes.append(started)
        self.first.set()
        return started


def test_a_worker_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started = Started(monkeypatch, HANGING)

    async def run() -> None:
        workers = Workers(seconds=0.2)
        with pytest.raises(Unusable) as raised:
            await workers.convert(IMAGE)
        assert raised.value.failure is Failure.TOO_COSTLY
        await workers.close()

    asyncio.run(run())
    assert [process.returncode for process in started.processes] == [-9]


def test_a_cancelled_call_ends_its_worker_and_one_that_waits_starts_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = Started(monkeypatch, HANGING)

    async def run() -> None:
        workers = Workers(most=1)
        calls = [asyncio.create_task(workers.convert(IMAGE)) for _ in range(3)]
        await asyncio.to_thread(started.first.wait)
        for call in calls:
            call.cancel()
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(outcome) for outcome in outcomes} == {asyncio.CancelledError}
        await workers.close()

    asyncio.run(run())
    assert [process.returncode for process in started.processes] == [-9]


def test_closing_ends_workers_and_refuses_those_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    started = Started(monkeypatch, HANGING)

    async def run() -> None:
        workers = Workers(most=1)
        calls = [asyncio.create_task(workers.convert(IMAGE)) for _ in range(3)]
        await asyncio.to_thread(started.first.wait)
        await workers.close()
        outcomes = await asyncio.gather(*calls, workers.convert(IMAGE), return_exceptions=True)
        assert all(isinstance(one, Refusal) and one.code is Code.UNAVAILABLE for one in outcomes)

    asyncio.run(run())
    assert len(started.processes) == 1


def test_no_more_workers_run_at_once_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each script ends only when the next worker could have been started long ago."""
    started = Started(monkeypatch, "import sys; sys.stdin.read()")

    async def run() -> None:
        workers = Workers(most=2)
        calls = [workers.convert(IMAGE) for _ in range(8)]
        await asyncio.gather(*calls, return_exceptions=True)
        await workers.close()

    running: list[int] = []
    start = started.__call__

    def counted(*args: object, **options: object) -> "subprocess.Popen[bytes]":
        running.append(1 + sum(process.returncode is None for process in started.processes))
        return start(*args, **options)

    monkeypatch.setattr(subprocess, "Popen", counted)
    asyncio.run(run())
    assert len(running) == 8
    assert max(running) <= 2


@pytest.mark.parametrize(
    "script",
    [
        "raise SystemExit(3)",
        "import sys; sys.stdin.read(); print('+', end='', flush=True); raise SystemExit(1)",
        """print('+{"media_type": "text/html", "width": 1, "height": 1}\\n<p>', flush=True)""",
    ],
    ids=["not started", "failing", "lying"],
)
def test_a_broken_installation_is_no_fault_of_the_image(
    monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    Started(monkeypatch, script)
    workers = Workers()
    with pytest.raises(WorkerLost):
        asyncio.run(workers.convert(IMAGE))
    asyncio.run(workers.close())


def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = json.dumps({"media_type": "image/webp", "width": 1, "height": 1})
    script = f"import sys\nsys.stdout.write('+' + {facts!r} + chr(10))\n"
    Started(monkeypatch, script + "while True: sys.stdout.write('x' * 100000)")
    workers = Workers()
    with pytest.raises(Unusable) as raised:
        asyncio.run(workers.convert(IMAGE))
    assert raised.value.failure is Failure.TOO_BIG_WHEN_CONVERTED
    asyncio.run(workers.close())


LOCKED_IN = """
import json, os, resource, socket, sys
from postroom.attaching import worker
worker._bound()
from postroom.attaching import convert
convert.prepare()
worker._lock_in()
def error(what):
    try:
        what()
    except OSError as error:
        return error.errno
limits = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CORE")
print(json.dumps({
    "limits": [resource.getrlimit(getattr(resource, name)) for name in limits],
    "errors": [error(socket.socket), error(lambda: open("/etc/hostname")), error(os.pipe)],
    "environment": dict(os.environ),
    "folder": os.getcwd(),
}))
"""


def test_a_worker_has_bounds_and_can_open_neither_files_nor_connections() -> None:
    # As the pool starts it.
    ended = subprocess.run(
        [sys.executable, "-I", "-c", LOCKED_IN], env={}, cwd="/", capture_output=True, check=True
    )
    facts = json.loads(ended.stdout)
    mib = 1024 * 1024
    assert facts["limits"] == [[512 * mib, 512 * mib], [10, 11], [0, 0], [3, 3], [0, 0]]
    assert facts["errors"] == [24, 24, 24]
    assert set(facts["environment"]) <= {"LC_CTYPE"}
    assert facts["folder"] == "/"


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_workers_leave_no_descriptors(convert: Callable[[bytes], object]) -> None:
    convert(IMAGE)
    before = descriptors()
    for _ in range(3):
        convert(IMAGE)
    assert descriptors() == before
