"""The floors and goals that the table shows; nothing is asserted by them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """A floor and a goal, for `at_most` a ceiling and a goal below it."""

    floor: float | None = None
    goal: float | None = None
    at_most: bool = False

    def verdict(self, value: float) -> str:
        """Where a value stands."""
        if self._reached(value, self.goal):
            return "ok, goal"
        if self.floor is None:
            return "-"
        return "ok" if self._reached(value, self.floor) else "below"

    def _reached(self, value: float, bound: float | None) -> bool:
        if bound is None:
            return False
        return value <= bound if self.at_most else value >= bound


ONE_STREAM = Bound(0.30, 0.45)
TAIL = Bound(6, 4, at_most=True)
SIZE = Bound(1.25, 1.10, at_most=True)
POSTGRES = Bound(0.25, 0.60)
TWO_SERVERS = Bound(None, 1.6)
# None has been set.
MESSAGES = Bound()
SEARCH = Bound()
COURIER = Bound(None, 1.2, at_most=True)
JSON_SEND = Bound(0.30, 0.60)
JSON_LIST = Bound(0.12, 0.40)

_PINNED = {"send": Bound(0.50, 0.75), "list": Bound(0.55, 0.75), "read": Bound(0.35, 0.55)}
_FREE = {"send": Bound(0.40, 0.60), "list": Bound(0.40, 0.60), "read": Bound()}


def grpc_bound(kind: str, placement: str, streams: int) -> Bound:
    """The bound of a gRPC method; a free ReadMail has none."""
    if streams == 1:
        return ONE_STREAM
    return (_PINNED if placement == "pinned" else _FREE)[kind]
