"""Waiting without guessing: look again and again until a deadline."""

import os
import time
from collections.abc import Callable, Iterator

LOOK_SECONDS = 0.01
_BUSY = 5


def figure(seconds: float) -> float:
    """A promised time: kept to the letter with POSTROOM_SOAK, on a machine left alone.

    Elsewhere it may take longer, since what else the machine does is no fault of ours.
    """
    return seconds if os.environ.get("POSTROOM_SOAK") else seconds * _BUSY


class TooLate(AssertionError):
    """What was waited for did not come."""


def looks(seconds: float) -> Iterator[None]:
    """Yield once for each look, until the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        yield
        if time.monotonic() >= deadline:
            return
        time.sleep(LOOK_SECONDS)


def eventually(is_so: Callable[[], bool], seconds: float, what: str) -> float:
    """Wait until it is so, and return how long that took. Raises TooLate."""
    begun = time.monotonic()
    for _ in looks(seconds):
        if is_so():
            return time.monotonic() - begun
    raise TooLate(f"{what}: not within {seconds} s")


def for_a_while(seconds: float, must_hold: Callable[[], None] = lambda: None) -> None:
    """Let time pass, as long as nothing goes wrong."""
    for _ in looks(seconds):
        must_hold()
