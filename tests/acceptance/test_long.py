"""What takes minutes: only with POSTROOM_SOAK."""

import sqlite3
import time
from contextlib import closing
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2

from postroom.storage.open import sqlite_path
from tests.acceptance.conftest import Serving, on
from tests.acceptance.doors import open_channel
from tests.acceptance.load import make_agents
from tests.acceptance.polling import for_a_while
from tests.acceptance.server import Server

KEEPALIVE = (
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)
IDLE_SECONDS = 180.0
MILLION = 1_000_000
FILL = """
WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i <= ?)
INSERT INTO mail (id, recipient, received_number, sender, sent_number, kind, created_at,
                  expires_at, checksum, wire)
SELECT printf('mail_%026d', i), recipient, i, sender, i, kind, created_at, expires_at,
       checksum, wire
FROM n, (SELECT * FROM mail LIMIT 1)
"""

pytestmark = [pytest.mark.needs("soak"), on("sqlite")]


def test_c41_a_stream_with_pings_every_ten_seconds_stays_open(serving: Serving) -> None:
    server = serving()
    with open_channel(server.grpc, *KEEPALIVE) as channel:
        ended: list[Any] = []
        watch: Any = channel.unary_stream("/grpc.health.v1.Health/Watch")(
            health_pb2.HealthCheckRequest().SerializeToString()
        )
        next(watch)
        watch.add_callback(lambda: ended.append(True))
        for_a_while(IDLE_SECONDS, lambda: _must_be(ended, []))
        assert watch.is_active()
        watch.cancel()


def _must_be(found: object, expected: object) -> None:
    assert found == expected


def test_p46_a_server_with_a_million_mails_is_ready_soon(
    serving: Serving, database_url: str
) -> None:
    server = serving()
    alfa, _ = make_agents(server, "alfa", "bravo")
    server.door("grpc").call("SendMail", alfa, to="bravo", body="x" * 300)
    assert server.stop() == 0
    with closing(sqlite3.connect(sqlite_path(database_url))) as connection, connection:
        connection.execute(FILL, (MILLION,))
        connection.execute("UPDATE mailbox SET received = ?, waiting = ?", (MILLION + 1,) * 2)
    # On a busy machine one start may be slow.
    seconds = [_start_and_stop(server, alfa) for _ in range(3)]
    print(f"ready and listed after {seconds} s")
    assert min(seconds) <= 2.0


def _start_and_stop(server: Server, agent: str) -> float:
    server.start()
    seconds = server.start_seconds + _until_listed(server, agent)
    assert server.stop() == 0
    return round(seconds, 2)


def _until_listed(server: Server, agent: str) -> float:
    begun = time.monotonic()
    with open_channel(server.grpc) as channel:
        grpc.channel_ready_future(channel).result(5)
    assert len(server.door("json").call("ListMail", agent, direction=2).mail) == 50
    return time.monotonic() - begun
