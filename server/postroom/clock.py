"""The wall clock."""

import time


class SystemClock:
    """The machine's clock, in whole microseconds since the epoch."""

    def now(self) -> int:
        """The present instant."""
        return time.time_ns() // 1000
