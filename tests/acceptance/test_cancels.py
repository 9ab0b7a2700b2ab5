"""Callers that go away at any moment (P31), and clients that ping too often (P43)."""

import contextlib
import http.client
import json
import random
import socket
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.acceptance.conftest import Serving, on
from tests.acceptance.doors import AGENT_ID, SERVICE, message, open_channel
from tests.acceptance.load import make_agents, soak_rounds
from tests.acceptance.polling import eventually
from tests.acceptance.server import Server
from tests.acceptance.truth import miscounted, stored_mail

SEED = 31
THREADS = 4
SECONDS = 30.0
# As many watches as one caller may have open.
PLACES = 16
LONGEST_SECONDS = 0.02
PINGS = (
    ("grpc.keepalive_time_ms", 300),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)


def held_by(server: Server) -> tuple[int, int]:
    """How many files and threads a server has."""
    process = Path(f"/proc/{server.pid}")
    return len(list((process / "fd").iterdir())), len(list((process / "task").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_p31_m28_cancels_at_any_moment_leak_nothing_and_leave_no_half_state(
    serving: Serving, database_url: str
) -> None:
    each = soak_rounds(15) * 20 // THREADS
    server = serving()
    alfa, bravo = make_agents(server, "alfa", "bravo")
    _cancel_all(server, alfa, bravo, each=4)
    eventually(lambda: _has_room(server, alfa), SECONDS, "no watch is left")
    files, threads = held_by(server)
    sent = _cancel_all(server, alfa, bravo, each)
    eventually(lambda: _has_room(server, alfa), SECONDS, "no watch is left")
    # A few connections come and go with the clients that look.
    eventually(lambda: held_by(server)[0] <= files + 2, SECONDS, "no connection is left")
    eventually(lambda: held_by(server)[1] <= threads, SECONDS, "no thread is left")
    assert miscounted(database_url) == []
    counts = Counter(mail.body for mail in stored_mail(database_url))
    assert set(counts.values()) <= {1}
    door = server.door("grpc")
    for body in sent:
        door.call("SendMail", alfa, to="bravo", body=body, request_id=body)
    counts = Counter(mail.body for mail in stored_mail(database_url))
    assert {body: counts[body] for body in sent} == dict.fromkeys(sent, 1)
    assert miscounted(database_url) == []


def _has_room(server: Server, agent: str) -> bool:
    """Whether the caller may open as many watches as if it had none."""
    with open_channel(server.grpc) as channel:
        watches = [_begin(channel, "WatchMail", agent, include_waiting=True) for _ in range(PLACES)]
        try:
            for watch in watches:
                next(watch)
        except grpc.RpcError:
            return False
        finally:
            for watch in watches:
                watch.cancel()
        return True


def _cancel_all(server: Server, alfa: str, bravo: str, each: int) -> list[str]:
    """Cancel calls in several threads; returns the bodies of the sends among them."""
    server.door("grpc").call("SendMail", bravo, to=alfa, body=f"waits {time.monotonic_ns()}")
    sent: list[str] = []

    def run(number: int) -> None:
        with open_channel(server.grpc) as channel:
            for n in range(each):
                body = f"{each} {number} {n}"
                sent.append(body)
                _cancel_one(server, channel, alfa, body, random.Random(f"{SEED} {body}"))

    running = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return sent


def _cancel_one(
    server: Server, channel: grpc.Channel, caller: str, body: str, chance: random.Random
) -> None:
    mail = {"to": "bravo", "body": body, "request_id": body}
    fields: dict[str, dict[str, Any]] = {"SendMail": mail, "WatchMail": {}, "ListMail": {}}
    fields["WaitForMail"] = {"timeout_seconds": 50}
    # Sends more often than the others, because they can be half done.
    method = chance.choice(["SendMail", *fields])
    if chance.random() < 0.3:
        _hang_up(server, method, caller, fields[method], chance)
        return
    call = _begin(channel, method, caller, **fields[method])
    time.sleep(chance.uniform(0, LONGEST_SECONDS))
    call.cancel()


def _begin(channel: grpc.Channel, method: str, caller: str, **fields: Any) -> Any:
    metadata = ((AGENT_ID, caller),)
    request = message(method, **fields).SerializeToString()
    path = f"/{SERVICE}/{method}"
    if method == "WatchMail":
        watch: Any = channel.unary_stream(path)
        return watch(request, metadata=metadata)
    unary: Any = channel.unary_unary(path)
    return unary.future(request, metadata=metadata)


def _hang_up(
    server: Server, method: str, caller: str, fields: dict[str, Any], chance: random.Random
) -> None:
    connection = http.client.HTTPConnection(server.http, timeout=SECONDS)
    told = {"Content-Type": "application/json", AGENT_ID: caller}
    connection.request("POST", f"/{SERVICE}/{method}", json.dumps(fields), told)
    time.sleep(chance.uniform(0, LONGEST_SECONDS))
    with contextlib.suppress(OSError):
        connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()


@on("sqlite")
def test_p43_a_client_that_pings_too_often_is_sent_away_and_comes_back_by_itself(
    serving: Serving,
) -> None:
    server = serving()
    alfa, bravo = make_agents(server, "alfa", "bravo")
    with open_channel(server.grpc, *PINGS) as channel:
        watch = _begin(channel, "WatchMail", alfa)
        eventually(lambda: not watch.is_active(), SECONDS, "the stream is ended")
        assert watch.code() is grpc.StatusCode.UNAVAILABLE
        assert "pings" in watch.details().lower()
        unary: Any = channel.unary_unary(f"/{SERVICE}/SendMail")
        request = message("SendMail", to=bravo, body="back").SerializeToString()
        assert unary(request, metadata=((AGENT_ID, alfa),), wait_for_ready=True, timeout=SECONDS)
