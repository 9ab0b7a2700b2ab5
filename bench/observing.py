"""What observing costs a call: `python -m bench.observing` prints microseconds
of processor time.

The door behind it does nothing, so that the difference is the observer's own.
"""

import asyncio
import logging
import os
import statistics
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from typing import Any

from postroom.errors import Archived
from postroom.observe.calls import ALL, NONE, REFUSED, CallLog
from postroom.observe.door import ObservedDoor
from postroom.observe.forms import as_json
from postroom.observe.metrics import CallMetrics
from postroom.observe.sink import Sink
from postroom.rpc import contract
from postroom.rpc.contract import Spec
from postroom.rpc.door import Door, Incoming, Outgoing

_CALLS, _ROUNDS = 5_000, 15
_INCOMING = Incoming((("postroom-agent-id", "agt_1"),), None, "127.0.0.1", surface="grpc")


class _Empty:
    """Answers at once."""

    def __init__(self, specs: Sequence[Spec], *, refuses: bool = False) -> None:
        self.specs = specs
        self._refuses = refuses

    async def call(self, *_: Any) -> Any:
        """See Door."""
        raise NotImplementedError

    async def call_wire(self, *_: Any) -> bytes:
        """See Door."""
        if self._refuses:
            raise Archived("agt_1", "is archived")
        return b""

    def stream(self, *_: Any) -> AsyncIterator[Any]:
        """See Door."""
        raise NotImplementedError


def main() -> None:
    """Measure each way to be set up, in turn, and print medians."""
    specs = contract.load().specs
    took: dict[str, list[float]] = defaultdict(list)
    for refuses in [False, True] * _ROUNDS:
        empty = _Empty(specs, refuses=refuses)
        answer = "refused" if refuses else "answered"
        for wanted in ("", NONE, REFUSED, ALL):
            sink = Sink(os.open(os.devnull, os.O_WRONLY), as_json)
            log = CallLog(sink, wanted, logging.INFO)
            door: Door = ObservedDoor(empty, CallMetrics(specs), log) if wanted else empty
            name = f"{answer}, metrics and log_calls = {wanted}" if wanted else answer
            took[name].append(asyncio.run(_microseconds(door, specs[0], sink)))
    for name, figures in took.items():
        print(f"{statistics.median(figures):6.2f}  {name}")


async def _microseconds(door: Door, spec: Spec, sink: Sink) -> float:
    """The processor time of a call, the writing of its line by the other thread included."""
    request = spec.request_class()
    begun = time.process_time()
    for _ in range(_CALLS):
        try:
            await door.call_wire(spec, request, _INCOMING, Outgoing())
        except Archived:
            continue
    sink.close()
    assert not sink.dropped
    return (time.process_time() - begun) / _CALLS * 1e6


if __name__ == "__main__":
    main()
