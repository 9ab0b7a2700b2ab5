"""A door that does as a test says, observed."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from postroom.observe.calls import CallLog
from postroom.observe.door import ObservedDoor, Tracer
from postroom.observe.metrics import CallMetrics
from postroom.observe.sink import Fact, Line
from postroom.rpc.contract import Spec
from postroom.rpc.door import Incoming, Outgoing
from tests.room import CONTRACT

SPECS = {spec.name: spec for spec in CONTRACT.specs}
Script = Callable[[], Any]


class ScriptedDoor:
    """Runs a script for each call; what it returns is awaited, or streamed."""

    specs: Sequence[Spec] = CONTRACT.specs

    def __init__(self, script: Script) -> None:
        self._script = script

    async def call(self, spec: Spec, request: Any, incoming: Incoming, outgoing: Outgoing) -> Any:
        del spec, request, incoming
        outgoing.caller_id = "agt_caller"
        return await self._script()

    call_wire = call

    async def stream(
        self, spec: Spec, request: Any, incoming: Incoming, outgoing: Outgoing
    ) -> AsyncIterator[Any]:
        del spec, request, incoming, outgoing
        async for message in self._script():
            yield message


class KeptLines:
    """Takes lines as a sink does, and keeps them."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.dropped = 0

    def put(self, level: int, text: str, facts: Any) -> None:
        self.lines.append(Line(0.0, level, text, facts))

    @property
    def facts(self) -> list[dict[str, Fact]]:
        """The facts of each line that there are."""
        return [{k: v for k, v in line.facts.items() if v != ""} for line in self.lines]


class Observed:
    """An observed door, with everything that observes it."""

    def __init__(
        self,
        script: Script,
        *,
        log_calls: str = "all",
        level: int = 20,
        tracer: Tracer | None = None,
    ) -> None:
        self.kept = KeptLines()
        self.metrics = CallMetrics(CONTRACT.specs)
        log = CallLog(self.kept, log_calls, level)  # type: ignore[arg-type]
        self.door = ObservedDoor(ScriptedDoor(script), self.metrics, log, tracer)

    async def call(self, method: str, incoming: Incoming = Incoming(), **fields: Any) -> Any:  # noqa: B008 - it is immutable
        spec = SPECS[method]
        request = spec.request_class(**fields)
        return await self.door.call(spec, request, incoming, Outgoing())

    def stream(self, method: str, incoming: Incoming = Incoming()) -> AsyncIterator[Any]:  # noqa: B008 - it is immutable
        spec = SPECS[method]
        return self.door.stream(spec, spec.request_class(), incoming, Outgoing())

    def handled(self, method: str) -> dict[str, int]:
        """How many calls of a method ended with each code."""
        (series,) = [each for each in self.metrics.series if each.spec.name == method]
        return {code: count for code, count in series.handled.items() if count}
