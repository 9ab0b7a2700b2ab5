"""Workers: one process for each image, few at once, each for a bounded time."""

import asyncio
import hashlib
import json
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from postroom.attaching import bounds
from postroom.attaching.failures import Failure, Unusable
from postroom.attaching.worker import READY
from postroom.attachment import LARGEST_BYTES, StoredFile
from postroom.errors import stopping

# Isolated from the environment, the current folder and the user's own packages.
_COMMAND = (sys.executable, "-I", "-m", "postroom.attaching.worker")
# Of PNG, JPEG, GIF and WebP; what begins otherwise needs no worker to be refused.
_BEGINNING = re.compile(rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP", re.DOTALL)
_LONGEST_ANSWER = LARGEST_BYTES + 4096
_MEDIA_TYPES = ("image/webp", "image/png", "image/jpeg", "image/gif")


class WorkerLost(Exception):
    """The worker does not start, or says what no worker says: a fault of the installation."""


class Workers:
    """Converts images, at most `most` at once. Made anywhere, used in an event loop."""

    def __init__(self, most: int = bounds.WORKERS, seconds: float = bounds.SECONDS) -> None:
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="image")
        self._seconds = seconds
        self._runs: set[_Run] = set()
        self._is_closed = False

    async def convert(self, data: bytes, *, keep: bool = False) -> StoredFile:
        """The image as WebP, or as it came once it is checked. Raises Unusable.

        A cancelled call ends its worker.
        """
        if self._is_closed:
            raise stopping()
        if not _BEGINNING.match(data):
            raise Unusable(Failure.BAD_IMAGE)
        run = _Run(data, "keep" if keep else "webp", self._seconds)
        self._runs.add(run)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, run.result)
        finally:
            run.end()
            self._runs.discard(run)

    async def close(self) -> None:
        """End all workers; those who wait for one are told that the server stops."""
        self._is_closed = True
        for run in list(self._runs):
            run.end()
        await asyncio.to_thread(self._threads.shutdown)


class _Run:
    """One worker's life; `result` blocks in a thread and `end` may come from any other.

    Started by subprocess, which does not copy this process: a copy of one that speaks
    gRPC may hang.
    """

    def __init__(self, data: bytes, form: str, seconds: float) -> None:
        self._data, self._form, self._seconds = data, form, seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._has_ended = False

    def result(self) -> StoredFile:
        """Convert. Raises Unusable, or a refusal if it was ended from outside."""
        process = self._start()
        timer = threading.Timer(self._seconds, process.kill)
        timer.daemon = True
        timer.start()
        try:
            answer = _exchange(process, self._data)
        finally:
            timer.cancel()
            process.kill()
            status = process.wait()
        if self._has_ended:
            raise stopping()
        return _understood(answer, status)

    def end(self) -> None:
        """Kill the worker, or keep it from being started."""
        with self._lock:
            self._has_ended = True
            if self._process is not None:
                self._process.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._has_ended:
                raise stopping()
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [*_COMMAND, self._form],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
            )
            return self._process


def _exchange(process: subprocess.Popen[bytes], data: bytes) -> bytes:
    """Give the image, take the answer; both end at once when the worker is killed."""
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdout:
        try:
            with process.stdin:
                process.stdin.write(data)
        except BrokenPipeError:
            pass
        return process.stdout.read(_LONGEST_ANSWER)


def _understood(answer: bytes, status: int) -> StoredFile:
    line, separator, data = answer.removeprefix(READY).partition(b"\n")
    if not separator or not answer.startswith(READY):
        if status > 0:
            raise WorkerLost(f"the image worker ended by itself with status {status}")
        # It was killed: by a bound, or by what it was given.
        raise Unusable(Failure.TOO_COSTLY)
    return _stored(json.loads(line), data)


def _stored(facts: Mapping[str, Any], data: bytes) -> StoredFile:
    if failure := facts.get("failure"):
        raise Unusable(Failure(failure))
    if len(data) > LARGEST_BYTES:
        raise Unusable(Failure.TOO_BIG_WHEN_CONVERTED)
    if facts["media_type"] not in _MEDIA_TYPES:
        raise WorkerLost("the image worker gave an answer of its own invention")
    return StoredFile(
        sha256=hashlib.sha256(data).hexdigest(),
        media_type=facts["media_type"],
        width=int(facts["width"]),
        height=int(facts["height"]),
        data=data,
    )
