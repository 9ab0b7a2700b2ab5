"""The database is held by somebody else: waiting is bounded, nothing is half done."""

import concurrent.futures
import time
from typing import Any

import pytest

from postroom.storage.open import sqlite_path
from tests.acceptance.conftest import Serving, on
from tests.acceptance.doors import Refused
from tests.acceptance.holder import held
from tests.acceptance.load import make_agents
from tests.acceptance.polling import figure, for_a_while
from tests.acceptance.server import Server
from tests.acceptance.truth import stored_mail

DOORS = ("grpc", "json")
# reliability.md, P16: a lock is waited for this long at most.
PATIENCE = 5.0


def _send(server: Server, kind: str, agent: str, seconds: float) -> tuple[Refused, float]:
    """Send to bravo, which must fail; how, and after how long."""
    begun = time.monotonic()
    with pytest.raises(Refused) as caught:
        server.door(kind).call("SendMail", agent, seconds, to="bravo", body="held")
    return caught.value, time.monotonic() - begun


@on("sqlite")
def test_p16_a_send_waits_for_the_lock_five_seconds_at_most(
    serving: Serving, database_url: str
) -> None:
    server = serving()
    alfa, _ = make_agents(server, "alfa", "bravo")
    with (
        held(sqlite_path(database_url)),
        concurrent.futures.ThreadPoolExecutor(2) as pool,
    ):
        for future in [pool.submit(_send, server, kind, alfa, 30.0) for kind in DOORS]:
            refused, seconds = future.result()
            assert (refused.code, refused.reason) == ("UNAVAILABLE", "STORAGE_BUSY")
            assert PATIENCE - 0.5 < seconds < PATIENCE + figure(0.5)
    assert stored_mail(database_url) == []


@on("sqlite")
@pytest.mark.parametrize("kind", DOORS)
def test_p16_a_send_waits_no_longer_than_its_deadline(
    serving: Serving, database_url: str, kind: str
) -> None:
    server = serving()
    alfa, _ = make_agents(server, "alfa", "bravo")
    with held(sqlite_path(database_url)):
        refused, seconds = _send(server, kind, alfa, 1.0)
        assert refused.code in ("DEADLINE_EXCEEDED", "UNAVAILABLE")
        assert seconds < 1.0 + figure(0.2)
        # The lock is not let go of in the very moment of the deadline.
        for_a_while(0.2)
    server.door(kind).call("SendMail", alfa, to="bravo", body="after")
    assert [piece.body for piece in stored_mail(database_url)] == ["after"]


@on("sqlite")
def test_p16_reads_do_not_wait_for_the_lock(serving: Serving, database_url: str) -> None:
    server = serving()
    alfa, bravo = make_agents(server, "alfa", "bravo")
    server.door("grpc").call("SendMail", alfa, to="bravo", body="one")
    with held(sqlite_path(database_url)):
        for kind in DOORS:
            door = server.door(kind)
            door.call("ListMail", bravo)
            begun = time.monotonic()
            for _ in range(20):
                assert len(door.call("ListMail", bravo).mail) == 1
            assert time.monotonic() - begun < figure(1.0)


@on("sqlite")
@pytest.mark.parametrize("kind", DOORS)
def test_c01_mail_that_met_a_lock_is_not_doubled_by_its_repeats(
    serving: Serving, database_url: str, kind: str
) -> None:
    server = serving()
    alfa, bravo = make_agents(server, "alfa", "bravo")
    fields: Any = {"to": "alfa", "body": "one", "request_id": "r-1"}
    ids = set()
    with held(sqlite_path(database_url)), pytest.raises(Refused):
        server.door(kind).call("SendMail", bravo, 1.0, **fields)
    assert len(stored_mail(database_url)) <= 1
    for _ in range(3):
        ids.add(server.door(kind).call("SendMail", bravo, **fields).mail.id)
    assert len(ids) == 1
    assert [mail.id for mail in server.door(kind).call("ListMail", alfa).mail] == [*ids]
