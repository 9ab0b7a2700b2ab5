"""The cells of gRPC and JSON: a method against a handler that does nothing."""

from collections.abc import Callable, Iterator

from bench import goals, probe
from bench.cells import Cell, Gun, Variant, against, tail
from bench.goals import Bound
from bench.running import Running
from bench.stage import Stage, must_have_size
from bench.target import Target, grpc_empty, json_empty
from bench.trouble import Trouble

Look = Callable[[Target, bytes], None]
_NAMES = {"send": "SendMail", "list": "ListMail of 50", "read": "ReadMail of 10"}
_STREAMS = {"send": (1, 16, 64), "list": (16, 64), "read": (16, 64)}
_CONNECTIONS = (16, 64)


class Pairs:
    """Makes the cells of one server in one placement."""

    def __init__(self, stage: Stage, gun: Gun, placement: str) -> None:
        self._stage = stage
        self._gun = gun
        self._placement = placement

    def grpc(self, kind: str) -> Iterator[Cell]:
        """A gRPC method at each number of streams."""
        for streams in _STREAMS[kind]:
            bound = goals.grpc_bound(kind, self._placement, streams)
            plural = "s" * (streams > 1)
            yield self._pair(kind, f"gRPC {_NAMES[kind]}, {streams} stream{plural}", bound, streams)

    def postgres(self) -> Cell:
        """SendMail on PostgreSQL."""
        name = "PostgreSQL gRPC SendMail, 64 streams"
        return self._pair("send", name, goals.POSTGRES, 64, key="postgres")

    def tail(self) -> Cell:
        """How much longer than the median the slowest sends take."""
        label = f"SendMail p99 / p50, 64 streams, {self._placement}"
        return Cell("tail", label, goals.TAIL, tail(self._gun, self._stage.send(64)))

    def json(self, kind: str) -> Iterator[Cell]:
        """A JSON route at each number of connections."""
        bound = goals.JSON_SEND if kind == "send" else goals.JSON_LIST
        for connections in _CONNECTIONS:
            name = f"JSON {_NAMES[kind]}, {connections} connections"
            yield self._pair(kind, name, bound, connections, key=f"json-{kind}")

    def _pair(self, kind: str, name: str, bound: Bound, streams: int, key: str = "") -> Cell:
        method = f"{kind}_json" if key.startswith("json") else kind
        variant: Variant = getattr(self._stage, method)(streams)
        size = proven(variant, _LOOKS[kind])
        label = f"{name} / empty, {self._placement}"
        nothing = empty(self._stage.running, variant, size)
        return Cell(key or kind, label, bound, against(self._gun, variant, nothing))


def empty(running: Running, variant: Variant, size: int) -> Variant:
    """What the variant is compared with: a handler that answers as many bytes."""
    target = variant.target
    if target.protocol == "grpc":
        nothing = grpc_empty(running.empty, size, target.body, target.streams)
    else:
        nothing = json_empty(running.http, size, target.body, target.streams)
    if len(probe.answer(nothing)) != size:
        raise Trouble(f"{nothing.path} does not answer {size} bytes")
    return Variant(nothing, check=lambda measured: must_have_size(measured, size, nothing))


_LOOKS: dict[str, Look] = {
    "send": probe.must_be_sent,
    "list": probe.must_be_page,
    "read": probe.must_be_claimed,
}


def proven(variant: Variant, look: Look) -> int:
    """Call once with a real client; returns the size of the answer."""
    variant.prepare(1)
    raw = probe.answer(variant.target)
    look(variant.target, raw)
    return len(raw)
