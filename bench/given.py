"""The settings of every server and store that is measured."""

import os
from pathlib import Path

from postroom.settings import Settings
from postroom.storage.open import sqlite_path

_NO_LIMIT = 10**9


def settings(database: str, archive: str = "messages") -> Settings:
    """Nobody is refused, however long the load runs; all else is as by default.

    The archive is beside the database. Beside PostgreSQL there is none: nothing is sent
    there that would be archived, and the person's own archive is left alone.
    """
    is_file = database.startswith("sqlite:")
    return Settings(
        database=database,
        data_dir=str(sqlite_path(database).parent if is_file else Path(os.devnull)),
        exchange_limit=_NO_LIMIT,
        mailbox_limit=_NO_LIMIT,
        archive=archive,
    )
