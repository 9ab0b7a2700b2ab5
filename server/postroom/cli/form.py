"""What a short command is: a method, and which of its fields it takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A short command. Fields are named by their path, such as pagination.limit."""

    method: str
    arguments: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    # Flags that stand for one value of a field, and values that are always sent.
    switches: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    # A flag that asks for one more call.
    then: "Then | None" = None
    # Options that must be given, because the server cannot tell unset from off.
    required: tuple[str, ...] = ()
    # What it does, where that is less than the method's own comment says.
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Then:
    """A call after the first: one field of its request comes from the first one's answer."""

    flag: str
    method: str
    field: str
    source: tuple[str, ...]
    text: str


PAGE = {"--limit": "pagination.limit", "--cursor": "pagination.cursor"}
"""The flags of every list."""
