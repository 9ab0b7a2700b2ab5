"""The schema: made once, refused when newer, and the same in models and database."""

import contextlib
import sqlite3
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from peewee import Model

from postroom.storage import migrate, open_store
from postroom.storage.database import Connection
from postroom.storage.migrate import SchemaTooNew
from postroom.storage.models import TABLES
from postroom.storage.store import Store
from tests.conformance.callers import Desk, at_once
from tests.doubles import START, ManualClock

NEWEST = migrate.migrations()[-1][0]


def test_servers_that_open_a_new_database_at_once_agree_on_it(
    new_database: str, clock: ManualClock
) -> None:
    def use(number: int) -> tuple[bytes, str]:
        store = open_store(new_database, clock)
        try:
            made = Desk(store, clock).call("CreateAgent", name=f"agent-{number}", workflow="main")
            return store.cursor_key, made.agent.workflow_id
        finally:
            store.close()

    found = at_once([partial(use, number) for number in range(6)])
    assert len(set(found)) == 1
    assert len(found[0][0]) == 32
    store = open_store(new_database, clock)
    assert store.connection.one("SELECT COUNT(*) FROM agent WHERE id = 'operator'") == (1,)
    assert store.connection.one("SELECT COUNT(*) FROM agent") == (7,)
    store.close()


def test_opening_again_changes_nothing(new_database: str, clock: ManualClock) -> None:
    keys = set()
    for _ in range(3):
        clock.advance(days=1)
        store = open_store(new_database, clock)
        keys.add(store.cursor_key)
        assert store.connection.all("SELECT id, created_at FROM agent") == [
            ("operator", START + 86_400_000_000)
        ]
        store.close()
    assert len(keys) == 1


def test_two_databases_have_different_keys(new_database: str, store: Store) -> None:
    other = open_store(new_database, ManualClock())
    assert other.cursor_key != store.cursor_key
    other.close()


def test_a_newer_schema_is_refused_and_left_alone(new_database: str, clock: ManualClock) -> None:
    store = open_store(new_database, clock)
    text = "UPDATE settings SET value = ? WHERE name = 'schema_version'"
    store.connection.run(text, (str(NEWEST + 1),))
    before = store.connection.all("SELECT name, value FROM settings ORDER BY name")
    with pytest.raises(SchemaTooNew, match=rf"schema {NEWEST + 1}.* up to {NEWEST}"):
        open_store(new_database, clock)
    assert store.connection.all("SELECT name, value FROM settings ORDER BY name") == before
    store.close()


class Killed(BaseException):
    """Stands for the end of the process."""


def test_a_migration_that_is_killed_anywhere_can_be_repeated(
    new_database: str, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, deaths = Connection.run, 0
    while True:
        with monkeypatch.context() as patched:
            patched.setattr(Connection, "run", _dying(plain, deaths))
            try:
                open_store(new_database, clock).close()
            except Killed:
                deaths += 1
            else:
                break
    assert deaths >= 20
    store = open_store(new_database, clock)
    assert store.connection.one("SELECT COUNT(*) FROM agent") == (1,)
    assert migrate.version(store.connection) == NEWEST
    store.close()


def _dying(plain: Callable[..., object], after: int) -> Callable[..., object]:
    left = iter(range(after))

    def run(connection: Connection, text: str, parameters: tuple[object, ...] = ()) -> object:
        if next(left, None) is None:
            raise Killed
        return plain(connection, text, parameters)

    return run


@pytest.mark.parametrize("model", TABLES, ids=lambda model: model.__name__)
def test_the_models_describe_the_tables_that_the_migrations_make(
    store: Store, store_kind: str, model: type[Model]
) -> None:
    meta = model._meta
    made = store.connection.peewee.get_columns(meta.table_name)
    assert [column.name for column in made] == list(meta.columns)
    keys = {column.name for column in made if column.primary_key}
    primary: Any = meta.primary_key
    assert keys == set(getattr(primary, "field_names", ()) or (primary.column_name,))
    for column in made:
        field = meta.columns[column.name]
        if column.name not in keys:
            assert column.null == field.null
        assert _type_of(column.data_type) == _type_of(field.field_type, store_kind)


# What the two databases and Peewee call the same types.
_TYPES = {
    "bigauto": "integer",
    "bigint": "integer",
    "bigserial": "integer",
    "integer": "integer",
    "smallint": "small",
    "text": "text",
    "blob": "bytes",
    "bytea": "bytes",
}


def _type_of(name: str, store_kind: str = "") -> str:
    del store_kind
    return _TYPES[name.lower()]


def test_every_table_has_a_model(store: Store) -> None:
    tables = store.connection.peewee.get_tables()
    # Full text is the database's own: its table has no columns of ours to describe.
    names = {name for name in tables if "sqlite" not in name and "message_words" not in name}
    assert names == {model._meta.table_name for model in TABLES}
    assert "message_words" in tables


def test_two_live_agents_of_one_name_are_refused_by_the_database_itself(
    store: Store, clock: ManualClock
) -> None:
    Desk(store, clock).agents("alfa")
    copy = (
        "INSERT INTO agent (id, name, folded_name, workflow, role, parent, state, program, model, "
        "task_description, created_at) SELECT 'agt_copy', name, folded_name, workflow, role, "
        "parent, state, program, model, task_description, created_at FROM agent "
        "WHERE name = 'alfa'"
    )
    with pytest.raises(Exception, match=r"(?i)unique|race"):
        store.connection.run(copy)


def test_a_migration_is_split_into_its_statements() -> None:
    text = "-- a comment; with a semicolon\nCREATE a;\n\n  -- another\nINSERT b\n  VALUES (1);\n"
    assert migrate.statements_of(text) == ["CREATE a", "INSERT b\n  VALUES (1)"]


@pytest.mark.parametrize("store_kind", ["sqlite"])
def test_a_file_that_is_no_database_of_ours_is_not_taken_for_an_older_one(
    new_database: str, clock: ManualClock
) -> None:
    store = open_store(new_database, clock)
    store.close()
    with contextlib.closing(sqlite3.connect(new_database.removeprefix("sqlite:///"))) as raw:
        raw.execute("DELETE FROM settings WHERE name = 'schema_version'")
        raw.commit()
        before = list(raw.iterdump())
        with pytest.raises(Exception, match="already exists"):
            open_store(new_database, clock)
        assert list(raw.iterdump()) == before
