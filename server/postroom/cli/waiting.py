"""The wait for mail in as many calls as it takes, over restarts of the server."""

import math
import time
from collections.abc import Callable
from typing import TypeVar

from postroom.cli.connection import NOT_OURS, TLS_REFUSED, UNREACHABLE
from postroom.cli.failure import NOTHING_CAME, Failure
from postroom.cli.terminal import tell

# Below what proxies commonly allow a silent connection.
_ROUND_SECONDS = 50
_PAUSE_SECONDS = 1.0
_TRANSIENT = ("unavailable", "deadline_exceeded")

Found = TypeVar("Found")
Ask = Callable[[int], Found | None]


class Wait:
    """Repeats a call that waits. Clock and pause are in seconds."""

    def __init__(
        self,
        seconds: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._seconds = seconds
        self._clock, self._pause = clock, pause
        self._end = clock() + seconds
        # Whether a server was ever reached, and what was told of its absence.
        self._was_reached = False
        self._has_told = False

    def until(self, ask: Ask[Found]) -> Found:
        """Ask until something is found; each call is told how many seconds to wait at most.

        Raises Failure: at once for a refusal, and where no server was ever reached; with
        status 75 when nothing came in time.
        """
        away = ""
        while (left := self._left()) > 0:
            began, away = self._clock(), ""
            try:
                found = ask(math.ceil(min(left, _ROUND_SECONDS)))
            except Failure as failure:
                self._bear(failure, self._clock() - began)
                found, away = None, "; the server did not answer at the end"
            else:
                self._was_reached = True
            if found is not None:
                return found
            if self._clock() - began < _PAUSE_SECONDS:
                self._pause(min(_PAUSE_SECONDS, self._left()))
        told = f"no mail came within {self._seconds:.10g} s{away}"
        raise Failure("deadline_exceeded", told, NOTHING_CAME)

    def _left(self) -> float:
        return max(self._end - self._clock(), 0)

    def _bear(self, failure: Failure, lasted: float) -> None:
        """Let a failure pass that a restart explains, and tell the first; raise all others."""
        # A server may also end a connection of TLS when it is stopped, but later.
        is_refused = failure.reason == TLS_REFUSED and lasted < _PAUSE_SECONDS
        at_start = not self._was_reached and (is_refused or failure.reason == UNREACHABLE)
        if failure.code not in _TRANSIENT or failure.reason == NOT_OURS or at_start:
            raise failure
        self._was_reached = True
        if not self._has_told:
            self._has_told = True
            tell(f"warning: trying until the server answers again: {failure}")
