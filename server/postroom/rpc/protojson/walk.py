"""One reading of a JSON value: where it is, what it dropped, what it may hold."""

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from postroom.rpc.protojson.refusal import JsonInvalid, shown

MAX_DEPTH: Final = 100


@dataclass(slots=True)
class Walk:
    """What was dropped so far, and how deep the reading is in messages."""

    strict: bool
    ignored: list[str] = field(default_factory=list)
    depth: int = 0

    def drop(self, path: str, what: str) -> None:
        """Note something unknown. Raises JsonInvalid when strict."""
        if self.strict:
            raise JsonInvalid(path, what)
        self.ignored.append(path)

    def enter(self, path: str, levels: int = 1) -> None:
        """Go down; the wire carries 100 messages in each other, so JSON may not hold more."""
        self.depth += levels
        if self.depth > MAX_DEPTH:
            raise JsonInvalid(path, f"nests deeper than {MAX_DEPTH} messages; flatten it")

    def leave(self, levels: int = 1) -> None:
        """Come back up."""
        self.depth -= levels


def members(value: Any, path: str) -> dict[str, Any]:
    """Return an object's members. Raises JsonInvalid for anything else."""
    if not isinstance(value, dict):
        raise JsonInvalid(path, f"must be an object, not {shown(value)}")
    return value


def items(value: Any, path: str) -> Iterator[tuple[str, Any, str]]:
    """Yield key, value and path of an object's members. Raises JsonInvalid for anything else."""
    for key, item in members(value, path).items():
        yield key, item, f"{path}.{key}" if path else key


def elements(value: Any, path: str) -> Iterator[tuple[Any, str]]:
    """Yield value and path of a list's elements. Raises JsonInvalid for anything else."""
    if not isinstance(value, list):
        raise JsonInvalid(path, f"must be a list, not {shown(value)}")
    for at, item in enumerate(value):
        yield item, f"{path}[{at}]"


def twice(value: dict[str, Any]) -> Container[str]:
    """Return the keys that the object gives more than once."""
    found: Container[str] = getattr(value, "twice", ())
    return found


def once(identity: Any, key: str, doubled: Container[str], path: str, seen: set[Any]) -> None:
    """Raise JsonInvalid if the object gives this field twice, under whatever names."""
    if identity in seen or key in doubled:
        raise JsonInvalid(path, "is given twice; give it once")
    seen.add(identity)
