"""Time-ordered ids: a prefix and 26 characters, the first ten from the clock."""

import secrets
from collections.abc import Callable

from postroom.ports import Clock

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
# Two characters at a time: ids are made on the hot path.
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_SHIFTS = range(120, -1, -10)
_RANDOM_BITS = 80


class TimeOrderedIds:
    """Makes ids that sort by the millisecond they were made in (as ULIDs do)."""

    def __init__(self, clock: Clock, random_bits: Callable[[int], int] = secrets.randbits) -> None:
        self._clock = clock
        self._random_bits = random_bits

    def new(self, prefix: str) -> str:
        """Make an id that begins with `prefix`."""
        number = (self._clock.now() // 1000) << _RANDOM_BITS | self._random_bits(_RANDOM_BITS)
        return prefix + "".join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])
