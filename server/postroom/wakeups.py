"""Waking those who watch mailboxes, on one event loop.

Mail that this server stored is told by the store after its commit. Mail that another
server stored on the same database is found by asking for the newest numbers, twice a
second and only while somebody watches.
"""

import asyncio
import contextlib
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

from postroom.errors import QuotaSpent, Refusal, StoreRefusal
from postroom.ports import Prove, Session, Store

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
# security.md: a revoked token ends open streams within 5 s.
PROVE_SECONDS = 3.0
PER_CALLER, IN_ALL = 16, 12_000
_TOGETHER = 200

T = TypeVar("T")


class Watch:
    """One watcher's place; fulfils ports.Subscription."""

    def __init__(self, agent: int, prove: Prove) -> None:
        self.agent = agent
        self.prove = prove
        self.ended: Refusal | None = None
        self._woken = asyncio.Event()

    async def wait(self) -> None:
        """See ports.Subscription.wait."""
        await self._woken.wait()
        self._woken.clear()
        if self.ended:
            raise self.ended

    def wake(self) -> None:
        """Let the watcher look."""
        self._woken.set()

    def end(self, refusal: Refusal) -> None:
        """End the watch with a refusal."""
        self.ended = refusal
        self.wake()


class LocalWakeups:
    """Fulfils ports.Wakeups and ports.Watches."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        per_caller: int = PER_CALLER,
        in_all: int = IN_ALL,
    ) -> None:
        self._loop = loop
        self._per_caller, self._in_all = per_caller, in_all
        self._watches: defaultdict[int, set[Watch]] = defaultdict(set)
        self._callers: Counter[str] = Counter()
        self._known: dict[int, int] = {}
        self._also: list[tuple[Callable[[], None], Callable[[], bool]]] = []

    def __len__(self) -> int:
        return self._callers.total()

    def arrived(self, recipients: frozenset[int]) -> None:
        """See ports.Wakeups.arrived."""
        # Who begins to watch after this look finds the mail, which is stored by now. Most
        # mail has nobody to wake, and going to the loop for nothing costs a send.
        wanted = any(agent in self._watches for agent in recipients) or any(
            not is_awake() for _, is_awake in self._also
        )
        if wanted and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, recipients)

    def call_also(self, wake: Callable[[], None], is_awake: Callable[[], bool]) -> None:
        """Call something on the loop, too, whenever this server has stored mail.

        `is_awake` tells, from any thread, that it need not be called: it has yet to begin
        to look.
        """
        self._also.append((wake, is_awake))

    @contextlib.contextmanager
    def subscribe(self, agent: int, prove: Prove, caller_id: str) -> Iterator[Watch]:
        """See ports.Watches.subscribe."""
        self._admit(caller_id)
        watch = Watch(agent, prove)
        self._watches[agent].add(watch)
        self._callers[caller_id] += 1
        try:
            yield watch
        finally:
            self._callers[caller_id] -= 1
            self._callers += Counter()
            self._watches[agent].discard(watch)
            if not self._watches[agent]:
                del self._watches[agent]
                self._known.pop(agent, None)

    def end_all(self, refusal: Refusal) -> None:
        """End every watch."""
        for group in list(self._watches.values()):
            for watch in list(group):
                watch.end(refusal)

    async def look_for_ever(self, store: Store) -> None:
        """Find mail that other servers stored, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await _guarded(self.look(store))

    async def prove_for_ever(self, store: Store) -> None:
        """End the watches of callers who may not watch any more, until cancelled."""
        while True:
            await asyncio.sleep(PROVE_SECONDS)
            await _guarded(self.prove(store))

    async def look(self, store: Store) -> None:
        """Look once."""
        for agents in _chunks(list(self._watches)):
            work = partial(_newest, agents)
            newest = await store.perform(work, writes=False, until=None)
            changed = {a for a, number in newest.items() if number != self._known.get(a)}
            self._known.update(newest)
            self._wake(frozenset(changed))

    async def prove(self, store: Store) -> None:
        """Ask once who still may watch."""
        watches = [watch for group in self._watches.values() for watch in group]
        for some in _chunks(watches):
            await store.perform(partial(_prove_all, some), writes=False, until=None)

    def _admit(self, caller_id: str) -> None:
        if self._callers[caller_id] >= self._per_caller:
            told = f"you watch {self._per_caller} mailboxes at once already; end one watch first"
            raise QuotaSpent(told, "TOO_MANY_STREAMS", f"agent:{caller_id}", self._per_caller)
        if len(self) >= self._in_all:
            told = f"the server serves {self._in_all:,} watches, its limit; try again later"
            raise QuotaSpent(told, "TOO_MANY_STREAMS", "server", self._in_all)

    def _wake(self, recipients: frozenset[int]) -> None:
        for wake, _ in self._also:
            wake()
        for agent in recipients & self._watches.keys():
            for watch in self._watches[agent]:
                watch.wake()


async def _guarded(look: Awaitable[None]) -> None:
    try:
        await look
    except Refusal as refusal:
        log.warning("looking after watches failed: %s", refusal)


def _newest(agents: Sequence[int], session: Session) -> dict[int, int]:
    return dict(session.received_counts(agents))


def _prove_all(watches: Sequence[Watch], session: Session) -> None:
    for watch in watches:
        try:
            watch.prove(session)
        except StoreRefusal:
            raise
        except Refusal as refusal:
            watch.end(refusal)


def _chunks(items: Sequence[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while some := list(islice(rest, _TOGETHER)):
        yield some
