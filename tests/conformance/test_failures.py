"""Errors of the drivers become refusals by their class and code."""

import sqlite3

import peewee
import pytest

from postroom.errors import Code
from postroom.storage.failures import StoreFailure, failure, is_connection_lost

psycopg = pytest.importorskip("psycopg")

SQLITE = {
    "SQLITE_BUSY": "busy",
    "SQLITE_BUSY_SNAPSHOT": "busy",
    "SQLITE_LOCKED_SHAREDCACHE": "busy",
    "SQLITE_FULL": "full",
    "SQLITE_READONLY": "read_only",
    "SQLITE_READONLY_DBMOVED": "read_only",
    "SQLITE_CORRUPT": "corrupt",
    "SQLITE_CORRUPT_INDEX": "corrupt",
    "SQLITE_NOTADB": "corrupt",
    "SQLITE_CANTOPEN": "unavailable",
    "SQLITE_IOERR_FSYNC": "unavailable",
    "SQLITE_CONSTRAINT_UNIQUE": None,
    "SQLITE_MISUSE": None,
}
POSTGRES = {
    "SerializationFailure": "conflict",
    "DeadlockDetected": "conflict",
    "UniqueViolation": "conflict",
    "LockNotAvailable": "busy",
    "QueryCanceled": "busy",
    "DiskFull": "full",
    "OutOfMemory": "full",
    "ReadOnlySqlTransaction": "read_only",
    "DataCorrupted": "corrupt",
    "IndexCorrupted": "corrupt",
    "AdminShutdown": "unavailable",
    "CannotConnectNow": "unavailable",
    "TooManyConnections": "unavailable",
    "ConnectionFailure": "unavailable",
    "OperationalError": "unavailable",
    "InterfaceError": "unavailable",
    "NotNullViolation": None,
    "DataError": None,
}
REFUSALS = {
    "busy": (Code.UNAVAILABLE, "STORAGE_BUSY"),
    "conflict": (Code.UNAVAILABLE, "STORAGE_BUSY"),
    "full": (Code.RESOURCE_EXHAUSTED, "STORAGE_FULL"),
    "read_only": (Code.FAILED_PRECONDITION, "STORAGE_READ_ONLY"),
    "corrupt": (Code.DATA_LOSS, "STORAGE_CORRUPT"),
    "unavailable": (Code.UNAVAILABLE, "STORAGE_UNAVAILABLE"),
    "unknown": (Code.UNAVAILABLE, "OUTCOME_UNKNOWN"),
}


def _sqlite(name: str, text: str = "x") -> sqlite3.Error:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorname = name
    return error


def _kind(error: BaseException) -> str | None:
    found = failure(error)
    return found.kind if found else None


@pytest.mark.parametrize("name", SQLITE)
def test_an_error_of_sqlite_is_told_by_its_name(name: str) -> None:
    assert _kind(_sqlite(name)) == SQLITE[name]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("no such table: mail", "corrupt"),
        ("no such column: body", "corrupt"),
        ('near "SELEC": syntax error', None),
    ],
)
def test_a_table_that_is_gone_is_damage(text: str, kind: str | None) -> None:
    assert _kind(_sqlite("SQLITE_ERROR", text)) == kind


@pytest.mark.parametrize("name", POSTGRES)
def test_an_error_of_postgresql_is_told_by_its_state(name: str) -> None:
    kind = getattr(psycopg.errors, name, None) or getattr(psycopg, name)
    assert _kind(kind("x")) == POSTGRES[name]


def test_the_oldest_error_of_the_chain_decides() -> None:
    first, second = _sqlite("SQLITE_FULL"), peewee.OperationalError("cannot rollback")
    third = _sqlite("SQLITE_ERROR", "no transaction is active")
    second.__context__, third.__context__ = first, second
    assert _kind(third) == "full"
    third.__cause__ = _sqlite("SQLITE_BUSY")
    assert _kind(third) == "busy"


def test_errors_of_ours_are_none_of_the_databases() -> None:
    for error in (ValueError("database is locked"), peewee.OperationalError("x"), KeyError()):
        assert failure(error) is None
        assert not is_connection_lost(error)


@pytest.mark.parametrize("kind", REFUSALS)
def test_each_kind_is_a_refusal_of_its_own(kind: str) -> None:
    refusal = StoreFailure(kind)
    assert (refusal.code, refusal.reason) == REFUSALS[kind]
    assert (refusal.retry_after is not None) == (refusal.code is Code.UNAVAILABLE)
    assert _kind(refusal) == kind
    told_unwritten = "nothing was written" in refusal.message
    assert told_unwritten == (kind not in ("corrupt", "unknown"))


def test_a_lost_connection_is_noticed_behind_other_errors() -> None:
    error = RuntimeError("x")
    error.__cause__ = psycopg.OperationalError("server closed the connection")
    assert is_connection_lost(error)
    assert not is_connection_lost(_sqlite("SQLITE_BUSY"))
