"""Whether the record of foreign reads is what was written, looked at from outside."""

from postroom.chain import Walk
from postroom.storage import migrate
from postroom.storage.migrate import SchemaTooNew
from postroom.storage.open import look_at
from postroom.storage.reads import follow

_CHAINED = 3


class SchemaTooOld(Exception):
    """The database has no chain yet."""

    def __init__(self, found: int) -> None:
        super().__init__(
            f"the database has schema {found}, in which records are not linked yet; start the "
            "server on it once, which brings it up to date"
        )


def verify(url: str, noted: str = "") -> Walk:
    """Walk along the chain of a database; it may be in use, and is not changed.

    `noted` is an earlier head that must be part of the chain. Raises ChainBroken,
    SchemaTooOld, SchemaTooNew, BadUrl, BadFile and StoreFailure.
    """
    connection = look_at(url)
    try:
        connection.open()
        connection.run(connection.dialect.snapshot)
        found, known = migrate.version(connection), migrate.migrations()[-1][0]
        if found < _CHAINED:
            raise SchemaTooOld(found)
        if found > known:
            raise SchemaTooNew(found, known)
        walk = Walk(noted)
        follow(connection, walk)
        return walk
    finally:
        connection.close()
