"""The tests of operations share one PostgreSQL database, emptied for each of them."""

from pathlib import Path

import pytest

from tests.operations.emptying import emptied


@pytest.fixture
def database_url(store_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database with nobody in it but the operator."""
    if store_kind == "sqlite":
        return f"sqlite:///{tmp_path / 'mail.db'}"
    return emptied(str(request.getfixturevalue("reused_database")))
