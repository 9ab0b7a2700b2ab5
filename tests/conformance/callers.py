"""Calls from many threads, and works that a test can hold up."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from postroom.caller_sessions import OUTSIDE
from postroom.enclosure import Enclosed
from postroom.errors import Refusal
from postroom.ids import TimeOrderedIds
from postroom.office import Limits, Messaging, Office
from postroom.page import Cursors
from postroom.ports import Clock, Ids, Session
from postroom.rpc.door import Incoming, Outgoing
from postroom.rpc.identity import Identity
from postroom.rpc.methods import Registry
from postroom.rpc.origin import Origin
from postroom.storage.jobs import Job
from postroom.storage.store import Store
from tests.room import CONTRACT

T = TypeVar("T")
SPECS = {spec.name: spec for spec in CONTRACT.specs}


class Desk:
    """Answers writing calls in the thread that asks."""

    def __init__(self, store: Store, clock: Clock, ids: Ids | None = None, **limits: Any) -> None:
        messaging = limits.pop("messaging", None)
        self.store = store
        self._office = Office(
            store=store,
            clock=clock,
            ids=ids or TimeOrderedIds(clock),
            cursors=Cursors(store.cursor_key),
            limits=Limits(**limits),
            messaging=messaging or Messaging(),
        )
        self._methods = Registry(self._office, CONTRACT)._methods

    def call(self, method: str, as_: str = "operator", **fields: Any) -> Any:
        """Answer one call as a write."""
        return self.store.write(self.work(method, as_, **fields))

    def work(self, method: str, as_: str = "operator", **fields: Any) -> Callable[[Session], Any]:
        """The work of one call."""
        spec = SPECS[method]
        enclosed = fields.pop("enclosed", None)
        request: Any = spec.request_class(**fields)

        def run(session: Session) -> Any:
            answering = self._methods[spec.full_name]
            origin = Origin(Identity(as_, trusted=True), Incoming(), OUTSIDE, Outgoing())
            # What a message brings with it: no images, unless a test says so.
            ready = (enclosed or Enclosed(body_md=request.body_md),) if answering.prepare else ()
            answer = answering.call(self._office, origin, request, ready, session)
            return spec.response_class.FromString(answer) if isinstance(answer, bytes) else answer

        return run

    def outcome(self, method: str, as_: str = "operator", **fields: Any) -> str:
        """The reason that a call is refused with, or 'ok'."""
        try:
            self.call(method, as_, **fields)
        except Refusal as refusal:
            return refusal.reason
        return "ok"

    def agents(self, *names: str) -> list[str]:
        """Make agents and return their ids."""
        make = partial(self.call, "CreateAgent", workflow="main")
        return [make(name=name).agent.id for name in names]


def at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """Run each work in a thread of its own, all begun together."""
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], T]) -> T:
        barrier.wait(30)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


class HeldUp:
    """A store whose writer is busy: what is asked meanwhile is answered in one batch."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, work: Callable[[Session], T], until: float | None = None) -> "Future[T]":
        """Ask for a write without waiting for it."""
        reply: Future[T] = Future()
        self._store._writer.submit(Job(work, reply, until))
        return reply


@contextmanager
def held_up(store: Store) -> Iterator[HeldUp]:
    """Keep the writer from its work until the block ends."""
    begun, go_on = threading.Event(), threading.Event()

    def hold(session: Session) -> None:
        del session
        begun.set()
        assert go_on.wait(30)

    held = HeldUp(store)
    holding = held.write(hold)
    assert begun.wait(30)
    try:
        yield held
    finally:
        go_on.set()
        holding.result(30)


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for something that is about to happen in another thread."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.0005)
