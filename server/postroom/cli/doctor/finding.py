"""Finding: what a check came to, and how to mend it."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. Neither text ever holds a secret."""

    level: Level
    what: str
    mend: str = ""


def ok(what: str) -> Finding:
    """Nothing to mend."""
    return Finding(Level.OK, what)


def warning(what: str, mend: str) -> Finding:
    """It works, and may not go on to, or is less safe than it could be."""
    return Finding(Level.WARNING, what, mend)


def problem(what: str, mend: str) -> Finding:
    """It does not work, or a secret is in the open."""
    return Finding(Level.PROBLEM, what, mend)


def of_error(error: Exception, mend: str) -> Finding:
    """A problem that an error of ours tells, as a rule as: what is wrong; what to do instead."""
    what, _, told = str(error).partition("; ")
    return problem(what, told or mend)
