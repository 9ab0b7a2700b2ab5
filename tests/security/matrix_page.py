"""The table of who may do what as a page: `python -m tests.security.matrix_page` writes it."""

from collections.abc import Iterable
from pathlib import Path

from tests.security.callers import AGENT, CHILD, OPERATOR, UNNAMED, World, kinds
from tests.security.expectations import OK
from tests.security.message_expectations import ROWS

_PAGE = Path(__file__).parents[2] / "docs/authorization.md"
_BEFORE = """# Who may do what

`tests/security/test_matrix.py` makes every one of these calls through gRPC, JSON, the command
line and MCP, and fails when an outcome differs, when a method has no row, or when this page does
not say what it tried. An empty cell cannot occur. Unnamed is a
caller that names nobody where the server trusts: the operator, but for messages the agent
that it says. A child is an agent that another agent made.

"""
_BETWEEN = """
Whoever is somebody in these ways is treated alike; nobody gains anything by the way they prove
who they are:

"""
_AFTER = """
Whoever is nobody gets the same answer from every method, whatever they ask for:

"""


def page() -> str:
    """The whole page."""
    everybody = kinds(_anybody())
    known = "".join(f"- {kind.name}\n" for kind in everybody if kind.role)
    nobody = [(kind.name, _cell(kind.refusal)) for kind in everybody if not kind.role]
    refused = _lines(("caller", "outcome"), nobody)
    return f"{_BEFORE}{table()}\n{_BETWEEN}{known}{_AFTER}{refused}\n"


def table() -> str:
    """What each role gets."""
    roles = (OPERATOR, UNNAMED, AGENT, CHILD)
    rows = [(row.method, row.what, *(_cell(row.expected(role)) for role in roles)) for row in ROWS]
    return _lines(("method", "of what", *roles), rows)


def _cell(outcome: str) -> str:
    if outcome in ("", OK):
        return "yes" if outcome else ""
    code, _, reason = outcome.partition(" ")
    return f"{code.lower()} `{reason}`"


def _lines(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    ruled = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in ruled)


def _anybody() -> World:
    names = ("alfa", "kid", "proven", "archived")
    tokens = ("operator", "proven", "proven_kid", "revoked", "expired")
    return World(dict.fromkeys(names, "agt"), dict.fromkeys(tokens, "prt"))


if __name__ == "__main__":
    _PAGE.write_text(page())
