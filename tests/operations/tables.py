"""What the database holds, to show that a refusal leaves it alone."""

from postroom.storage.models import TABLES
from postroom.storage.store import Store

Contents = dict[str, list[tuple[object, ...]]]


def contents(store: Store) -> Contents:
    """Every row of every table, after the writes that were submitted before."""
    store.check()
    return {
        model.__name__: sorted(
            (tuple(map(_plain, row)) for row in store.connection.rows(model.select())), key=repr
        )
        for model in TABLES
    }


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value
