"""A look from outside at the schema: it makes, changes and holds nothing."""

from pathlib import Path

import pytest

from postroom.storage import open_store
from postroom.storage.failures import StoreFailure
from postroom.storage.glance import known_schema, schema
from postroom.storage.open import BadUrl
from postroom.storage.sqlite import EmptyFile
from postroom.storage.store import Store
from tests import postgres
from tests.doubles import ManualClock


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert schema(f"sqlite:///{tmp_path / 'mail.db'}") is None
    assert list(tmp_path.iterdir()) == []


def test_an_empty_database_stays_empty(postgres_server: postgres.Server) -> None:
    url = postgres_server.new_database("glance")
    assert [schema(url), schema(url)] == [0, 0]


def test_the_schema_is_read_beside_a_server_and_after_it(
    database_url: str, store: Store, tmp_path: Path
) -> None:
    assert schema(database_url) == known_schema()
    before = sorted(tmp_path.iterdir())
    assert schema(database_url) == known_schema()
    assert sorted(tmp_path.iterdir()) == before
    store.close()
    before = sorted(tmp_path.iterdir())
    assert schema(database_url) == known_schema()
    assert sorted(tmp_path.iterdir()) == before


def test_a_server_goes_on_after_the_look(database_url: str) -> None:
    open_store(database_url, ManualClock()).close()
    schema(database_url)
    store = open_store(database_url, ManualClock())
    assert store.write(lambda session: session.agent("operator"))
    store.close()


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    path.touch()
    with pytest.raises(EmptyFile):
        schema(f"sqlite:///{path}")
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreFailure) as refused:
        schema(f"sqlite:///{path}")
    assert refused.value.kind == "corrupt"
    with pytest.raises(BadUrl, match="begins with 'mysql'"):
        schema("mysql://host/name")


def test_a_server_that_is_not_there_is_refused() -> None:
    with pytest.raises(StoreFailure) as refused:
        schema("postgresql://user:secret@127.0.0.1:9/name")
    assert refused.value.kind == "unavailable"
    assert "secret" not in str(refused.value)
