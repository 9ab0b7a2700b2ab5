"""Where lines of the log go: a thread writes them, so that nobody waits for stderr.

When whoever reads stderr has stopped reading, lines are dropped and counted; calls go
on as before.
"""

import logging
import os
import select
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple, Protocol

# At most so many lines wait; a line takes a few hundred bytes.
MOST_WAITING = 10_000
# Lines are gathered for so long, because waking a thread costs a call more than a line does.
_GATHER_SECONDS = 0.05
_AT_ONCE = 100
_CLOSE_SECONDS = 1.0


Fact = str | float


class Line(NamedTuple):
    """One line: when (seconds since the epoch), how grave, what, and the facts."""

    at: float
    level: int
    text: str
    facts: Mapping[str, Fact]


class Form(Protocol):
    """How a line looks."""

    def __call__(self, line: Line) -> str:
        """The line's text, without the line's end."""
        ...


class Sink:
    """Takes lines from any thread at any time, and never waits."""

    def __init__(self, descriptor: int, form: Form, most_waiting: int = MOST_WAITING) -> None:
        self._descriptor = descriptor
        self._form = form
        self._most = most_waiting
        self._lines: deque[Line] = deque()
        self._asked, self._closing = threading.Event(), threading.Event()
        self._told = 0
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="postroom-log", daemon=True)
        self._thread.start()

    def put(self, level: int, text: str, facts: Mapping[str, Fact]) -> None:
        """Have a line written soon."""
        if len(self._lines) >= self._most:
            self.dropped += 1
            return
        self._lines.append(Line(time.time(), level, text, facts))
        if not self._asked.is_set():
            self._asked.set()

    def close(self) -> None:
        """Write what waits, unless nobody reads it; within a second."""
        self._closing.set()
        self._asked.set()
        self._thread.join(_CLOSE_SECONDS)

    def _run(self) -> None:
        while not self._closing.is_set():
            self._asked.wait()
            self._closing.wait(_GATHER_SECONDS)
            # Cleared first: what is put from here on asks again.
            self._asked.clear()
            self._write_waiting()
        self._write_waiting()

    def _write_waiting(self) -> None:
        while self._lines:
            some = [self._lines.popleft() for _ in range(min(len(self._lines), _AT_ONCE))]
            self._write("".join(f"{self._form(line)}\n" for line in some).encode())
        if self.dropped > self._told:
            count, self._told = self.dropped - self._told, self.dropped
            lost = Line(
                time.time(), logging.WARNING, "lines of the log were dropped", {"count": count}
            )
            self._write(f"{self._form(lost)}\n".encode())

    def _write(self, text: bytes) -> None:
        while text:
            try:
                text = text[os.write(self._descriptor, text) :]
            except BlockingIOError:
                select.select((), (self._descriptor,), ())
            except OSError:
                # There is no stderr any more, and nowhere else to tell it.
                self.dropped += text.count(b"\n")
                self._told = self.dropped
                return
