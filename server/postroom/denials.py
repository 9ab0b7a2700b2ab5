"""Refused attempts, counted so that repeating them does not fill the record.

Of equal attempts within an hour the 1st, 2nd, 4th, 8th and so on are written down, each
with how many it stands for. So a caller that repeats itself a million times leaves 20
records, and they tell at least half of its attempts.
"""

from collections import OrderedDict
from dataclasses import dataclass

from postroom.instant import HOUR
from postroom.records import MailboxRead

# So many different attempts are remembered; the one that was quiet longest is forgotten first.
_MOST_REMEMBERED = 10_000
Key = tuple[int, int, str, str]


@dataclass(slots=True)
class _Seen:
    since: int
    attempts: int = 0
    written: int = 0


class Denials:
    """What one server remembers of refused attempts. For one thread."""

    def __init__(self) -> None:
        self._seen: OrderedDict[Key, _Seen] = OrderedDict()

    def count(self, read: MailboxRead) -> int:
        """Count an attempt; returns for how many a record is due now, 0 for none."""
        key = (read.reader, read.owner, read.method, read.reason)
        seen = self._seen.get(key)
        # A clock that was set back begins a new hour, too.
        if seen is None or not 0 <= read.read_at - seen.since < HOUR:
            seen = self._seen[key] = _Seen(read.read_at)
        self._seen.move_to_end(key)
        if len(self._seen) > _MOST_REMEMBERED:
            self._seen.popitem(last=False)
        seen.attempts += 1
        if seen.attempts & (seen.attempts - 1):
            return 0
        due, seen.written = seen.attempts - seen.written, seen.attempts
        return due
