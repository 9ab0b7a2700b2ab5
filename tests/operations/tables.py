"""What the database holds, to show that a refusal leaves it alone; and calls at once."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from google.protobuf.message import Message

from postroom.storage.models import TABLES
from postroom.storage.store import Store
from tests.room import Room

Contents = dict[str, list[tuple[object, ...]]]


def contents(store: Store) -> Contents:
    """Every row of every table, after the writes that were submitted before."""
    store.check()
    found = {
        model.__name__: sorted(
            (tuple(map(_plain, row)) for row in store.connection.rows(model.select())), key=repr
        )
        for model in TABLES
    }
    number = "number" if store.connection.dialect.has_tsvector else "rowid"
    text = f"SELECT {number} FROM message_words ORDER BY {number}"
    return found | {"message_words": store.connection.all(text)}


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value


def together(room: Room, calls: Iterable[Coroutine[Any, Any, Message]]) -> list[Any]:
    """Answer calls that are all begun, in order, before the first has ended."""

    async def run() -> list[Any]:
        return list(await asyncio.gather(*calls, return_exceptions=True))

    return room._runner.run(run())
