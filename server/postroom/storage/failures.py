"""Errors of the database drivers as refusals.

The oldest driver error of the chain decides: Peewee's clean-up may fail on top of
it and hide it. Errors are told apart by class and code, never by their text.
"""

import sqlite3
from collections.abc import Iterator

from postroom.errors import Code, StoreRefusal

_SQLITE = {
    "SQLITE_BUSY": "busy",
    "SQLITE_LOCKED": "busy",
    "SQLITE_FULL": "full",
    "SQLITE_READONLY": "read_only",
    "SQLITE_CORRUPT": "corrupt",
    "SQLITE_NOTADB": "corrupt",
    "SQLITE_CANTOPEN": "unavailable",
    "SQLITE_IOERR": "unavailable",
}
# https://www.postgresql.org/docs/15/errcodes-appendix.html
_POSTGRES = {
    "40001": "conflict",
    "40P01": "conflict",
    "23505": "conflict",
    "23P01": "conflict",
    "55P03": "busy",
    "57014": "busy",
    "53100": "full",
    "53200": "full",
    "25006": "read_only",
    "42501": "read_only",
    "XX001": "corrupt",
    "XX002": "corrupt",
}
_REFUSALS = {
    "busy": (
        Code.UNAVAILABLE,
        "STORAGE_BUSY",
        "another program holds the database; nothing was written, try again",
    ),
    "conflict": (
        Code.UNAVAILABLE,
        "STORAGE_BUSY",
        "the call lost a race with another server; nothing was written, try again",
    ),
    "full": (
        Code.RESOURCE_EXHAUSTED,
        "STORAGE_FULL",
        "the database has no room left; nothing was written, free some space",
    ),
    "read_only": (
        Code.FAILED_PRECONDITION,
        "STORAGE_READ_ONLY",
        "the database cannot be written to; nothing was written, mend its permissions",
    ),
    "corrupt": (
        Code.DATA_LOSS,
        "STORAGE_CORRUPT",
        "the database is damaged; stop the server and restore it from a backup",
    ),
    "unavailable": (
        Code.UNAVAILABLE,
        "STORAGE_UNAVAILABLE",
        "the database cannot be reached; nothing was written, try again",
    ),
    "unknown": (
        Code.UNAVAILABLE,
        "OUTCOME_UNKNOWN",
        (
            "the database went away during the commit, so the call may have been done; "
            "repeat it with the same request_id"
        ),
    ),
}
_RETRY_AFTER = 1.0


class StoreFailure(StoreRefusal):
    """The store could not do it. `kind` is a key of the table of refusals."""

    def __init__(self, kind: str) -> None:
        code, reason, message = _REFUSALS[kind]
        retry = _RETRY_AFTER if code is Code.UNAVAILABLE else None
        super().__init__(message, code, reason, retry_after=retry)
        self.kind = kind


def failure(error: BaseException) -> StoreFailure | None:
    """The refusal that a driver's error means, None for an error of ours."""
    kind = None
    for link in _chain(error):
        kind = _kind(link) or kind
    return StoreFailure(kind) if kind else None


def is_connection_lost(error: BaseException) -> bool:
    """Whether the connection is gone, so that the transaction is too."""
    return any(_kind(link) == "unavailable" for link in _chain(error))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _kind(error: BaseException) -> str | None:
    if isinstance(error, StoreFailure):
        return error.kind
    if isinstance(error, sqlite3.Error):
        return _sqlite_kind(error)
    if type(error).__module__.partition(".")[0] == "psycopg":
        return _postgres_kind(error)
    return None


def _sqlite_kind(error: sqlite3.Error) -> str | None:
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_ERROR":
        # A table or column that is gone: the file was emptied or damaged. No other code tells.
        return "corrupt" if str(error).startswith("no such ") else None
    return next((kind for prefix, kind in _SQLITE.items() if name.startswith(prefix)), None)


def _postgres_kind(error: BaseException) -> str | None:
    from psycopg import InterfaceError, OperationalError

    state = getattr(error, "sqlstate", None)
    if state in _POSTGRES:
        return _POSTGRES[state]
    # A lost connection carries no state, or one of "connection exception",
    # "operator intervention" and "too many connections".
    if isinstance(error, OperationalError | InterfaceError):
        return "unavailable"
    return None
