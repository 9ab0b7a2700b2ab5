"""Bad tokens from one peer: so many a minute, and then a pause."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable

from postroom.errors import CallerUnknown, Code, Refusal

PER_MINUTE, MINUTE_SECONDS = 20, 60.0
# So many peers are remembered; the one that was quiet longest is forgotten first.
_MOST_PEERS = 10_000


class Throttle:
    """Counts the tokens that proved nothing.

    Good tokens of the same peer go on working: agents of one machine share their
    address, and one of them must not be able to lock the others out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._peers: OrderedDict[str, deque[float]] = OrderedDict()

    def judged(self, refusal: CallerUnknown, peer: str) -> Refusal:
        """What to answer to a caller that is not known: the refusal, or to come back later."""
        if refusal.reason != "TOKEN_INVALID" or not peer:
            return refusal
        now = self._clock()
        times = self._times(peer)
        while times and now - times[0] >= MINUTE_SECONDS:
            times.popleft()
        if len(times) >= PER_MINUTE:
            return _throttled(times[0] + MINUTE_SECONDS - now)
        times.append(now)
        return refusal

    def _times(self, peer: str) -> deque[float]:
        times = self._peers.setdefault(peer, deque())
        self._peers.move_to_end(peer)
        if len(self._peers) > _MOST_PEERS:
            self._peers.popitem(last=False)
        return times


def _throttled(seconds: float) -> Refusal:
    return Refusal(
        f"more than {PER_MINUTE} bad tokens came from your address within a minute; wait, and "
        "call with a good one",
        Code.RESOURCE_EXHAUSTED,
        "AUTH_THROTTLED",
        retry_after=seconds,
    )
