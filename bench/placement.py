"""On which cores the server and the load run."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

Cores = frozenset[int]


@dataclass(frozen=True)
class Placement:
    """A name, and the cores of either side; no cores means all of them."""

    name: str
    server: Cores = frozenset()
    load: Cores = frozenset()


FREE = Placement("free")
PINNED = Placement("pinned", frozenset({0}), frozenset({1}))


def can_pin() -> bool:
    """Whether this machine lets a process choose cores 0 and 1."""
    return hasattr(os, "sched_setaffinity") and {0, 1} <= os.sched_getaffinity(0)


@contextlib.contextmanager
def on(cores: Cores) -> Iterator[None]:
    """Run this thread, and what it starts, on these cores."""
    if not cores:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
