"""The log's line for each call, as far as lines are wanted."""

import logging

from postroom.errors import Code
from postroom.observe.ended import Ended
from postroom.observe.sink import Fact, Sink

# What the setting log_calls may be.
NONE, REFUSED, ALL = "none", "refused", "all"
_LEVELS = {
    Code.INTERNAL.name: logging.ERROR,
    Code.DATA_LOSS.name: logging.ERROR,
    Code.UNAVAILABLE.name: logging.WARNING,
    Code.UNAUTHENTICATED.name: logging.WARNING,
    Code.PERMISSION_DENIED.name: logging.WARNING,
}


class CallLog:
    """Writes lines about calls."""

    def __init__(self, sink: Sink, wanted: str, level: int) -> None:
        """`wanted` is none, refused or all; lines below the level are left out."""
        self._sink = sink
        self.wants_all = wanted == ALL and level <= logging.INFO
        self._least = level if wanted != NONE else logging.CRITICAL

    def ended(self, ended: Ended) -> None:
        """Tell of a call that has ended."""
        level = _LEVELS.get(ended.code, logging.INFO)
        if self.wants_all or (ended.is_refused and level >= self._least):
            self._sink.put(level, "call", _facts(ended))

    def turned_away(self, surface: str, code: Code, reason: str, peer: str) -> None:
        """Tell of a request that was refused before it became a call."""
        level = _LEVELS.get(code.name, logging.INFO)
        if level >= self._least:
            facts: dict[str, Fact] = {
                "surface": surface,
                "code": code.name,
                "reason": reason,
                "peer": peer,
            }
            self._sink.put(level, "turned away", facts)


def _facts(ended: Ended) -> dict[str, Fact]:
    return {
        "method": ended.spec.full_name,
        "surface": ended.surface,
        "code": ended.code,
        "reason": ended.reason,
        "ms": round(ended.seconds * 1000, 3),
        "caller": ended.caller_id,
        "key": ended.key_id,
        "peer": ended.peer,
        "request_id": ended.request_id,
        "event": ended.event,
        "trace": ended.trace,
    }
