"""A lock of somebody else's is waited for, but not for long, and nothing is written."""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial

import pytest

from postroom.ports import Session
from postroom.storage import commit, open_store, postgres
from postroom.storage.failures import StoreFailure
from postroom.storage.store import Store
from tests.conformance.callers import Desk, at_once, wait_until
from tests.conformance.world import add_agents, deliver, sending, wires
from tests.doubles import ManualClock

PATIENCE = 0.3
Hold = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def hasty(
    store_kind: str, database_url: str, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Store]:
    """A store that gives up soon."""
    monkeypatch.setattr(commit, "PATIENCE", PATIENCE)
    options = postgres._OPTIONS.replace("lock_timeout=5000", f"lock_timeout={PATIENCE * 1000:.0f}")
    assert options != postgres._OPTIONS
    monkeypatch.setattr(postgres, "_OPTIONS", options)
    store = open_store(database_url, clock)
    assert store_kind
    yield store
    store.close()


@pytest.fixture
def hold(store_kind: str, database_url: str) -> Hold:
    """Holds the locks that a send needs, as another program would."""
    return lambda: _held(store_kind, database_url)


@contextlib.contextmanager
def _held(store_kind: str, url: str) -> Iterator[None]:
    if store_kind == "sqlite":
        path = url.removeprefix("sqlite:///")
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            yield
            holder.execute("ROLLBACK")
        return
    import psycopg

    with psycopg.connect(url) as connection:
        connection.execute("SELECT * FROM mailbox FOR UPDATE")
        yield
        connection.rollback()


def test_a_write_gives_up_in_time_and_reads_go_on(hasty: Store, hold: Hold) -> None:
    alfa, bravo = add_agents(hasty, "alfa", "bravo")
    hasty.write(sending("1", alfa, bravo))
    with hold():
        begun = time.monotonic()
        with pytest.raises(StoreFailure) as busy:
            hasty.write(sending("2", alfa, bravo))
        assert PATIENCE * 0.9 <= time.monotonic() - begun < PATIENCE + 1
        assert wires(hasty, bravo) == ["1"]
    assert (busy.value.kind, busy.value.reason) == ("busy", "STORAGE_BUSY")
    assert busy.value.retry_after is not None
    hasty.write(sending("3", alfa, bravo))
    assert wires(hasty, bravo) == ["3", "1"]


def test_a_write_that_the_lock_is_released_for_is_done(hasty: Store, hold: Hold) -> None:
    alfa, bravo = add_agents(hasty, "alfa", "bravo")
    with ThreadPoolExecutor(1) as pool:
        with hold():
            asked = pool.submit(hasty.write, sending("1", alfa, bravo))
            wait_until(asked.running)
        assert asked.exception(30) is None
    assert wires(hasty, bravo) == ["1"]


def test_a_callers_own_deadline_ends_the_wait_before_patience_does(
    hasty: Store, hold: Hold, store_kind: str
) -> None:
    alfa, bravo = add_agents(hasty, "alfa", "bravo")
    with hold():
        begun = time.monotonic()
        with pytest.raises(Exception, match=r"deadline|holds the database"):
            hasty.write(lambda session: deliver(session, "1", alfa, bravo), begun + 0.1)
        waited = time.monotonic() - begun
    assert waited < (PATIENCE if store_kind == "sqlite" else PATIENCE + 1)
    assert wires(hasty, bravo) == []


def test_c01_a_send_that_is_repeated_until_the_lock_is_gone_is_one_mail(
    hasty: Store, hold: Hold, clock: ManualClock
) -> None:
    desk = Desk(hasty, clock)
    alfa, bravo = desk.agents("alfa", "bravo")
    fields = {"to": alfa, "body": "one", "request_id": "r-1"}
    with hold():
        outcomes = [desk.outcome("SendMail", bravo, **fields) for _ in range(2)]
    assert outcomes == ["STORAGE_BUSY"] * 2
    ids = {desk.call("SendMail", bravo, **fields).mail.id for _ in range(3)}
    assert len(ids) == 1
    (mail,) = desk.call("ReadMail", alfa).mail
    assert {mail.id} == ids


def test_many_writes_behind_one_lock_all_give_up_in_time(hasty: Store, hold: Hold) -> None:
    alfa, bravo = add_agents(hasty, "alfa", "bravo")
    with hold():
        begun = time.monotonic()
        works = [sending(str(number), alfa, bravo) for number in range(8)]
        outcomes = at_once([partial(_outcome, hasty, work) for work in works])
        waited = time.monotonic() - begun
    assert outcomes == ["STORAGE_BUSY"] * 8
    assert waited < PATIENCE + 1
    assert wires(hasty, bravo) == []


def _outcome(store: Store, work: Callable[[Session], None]) -> str:
    try:
        store.write(work)
    except StoreFailure as failed:
        return failed.reason
    return "ok"
