"""The settings of every server and store that is measured."""

from postroom.settings import Settings

_NO_LIMIT = 10**9


def settings(database: str) -> Settings:
    """Nobody is refused, however long the load runs; all else is as by default."""
    return Settings(database=database, exchange_limit=_NO_LIMIT, mailbox_limit=_NO_LIMIT)
