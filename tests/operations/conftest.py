"""The tests of operations share one PostgreSQL database, emptied for each of them."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from postroom.storage import readers, sqlite

if TYPE_CHECKING:
    from tests.operations.emptying import Reused


@pytest.fixture
def database_url(store_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database with nobody in it but the operator."""
    if store_kind == "sqlite":
        return f"sqlite:///{tmp_path / 'mail.db'}"
    reused: Reused = request.getfixturevalue("reused_database")
    return reused.empty()


@pytest.fixture(autouse=True)
def frugal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare what no test of an operation is about: flushes, and connections for readers."""
    monkeypatch.setitem(sqlite._PRAGMAS, "synchronous", "off")
    monkeypatch.setattr(readers, "COUNT", 1)
