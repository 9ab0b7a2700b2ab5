"""Waking those who wait for mail in this process."""

import asyncio
from collections import defaultdict


class LocalWakeups:
    """Wakes the waiters of one event loop, from whichever thread mail was stored in."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiters: defaultdict[int, set[asyncio.Event]] = defaultdict(set)

    def arrived(self, recipients: frozenset[int]) -> None:
        """Wake whoever waits for mail of these agents."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, recipients)

    def subscribe(self, agent: int) -> asyncio.Event:
        """An event that is set whenever mail arrives for the agent."""
        event = asyncio.Event()
        self._waiters[agent].add(event)
        return event

    def unsubscribe(self, agent: int, event: asyncio.Event) -> None:
        """Forget an event."""
        self._waiters[agent].discard(event)
        if not self._waiters[agent]:
            del self._waiters[agent]

    def _wake(self, recipients: frozenset[int]) -> None:
        for agent in recipients & self._waiters.keys():
            for event in self._waiters[agent]:
                event.set()
