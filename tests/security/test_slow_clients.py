"""HTTP clients that send slowly or not at all: they are cut off, and hold nobody up."""

import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from postroom.surfaces import paces
from tests.acceptance.polling import figure
from tests.security.conftest import Serving
from tests.security.listeners import Listeners, listening

# What a slow client has sent when it falls silent.
HEAD = b"POST /agent.v1.AgentService/ListAgents HTTP/1.1\r\nHost: %s\r\n"
BODY = HEAD + b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
WHOLE = HEAD + b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
SILENT = {"nothing": b"", "half a head": HEAD, "half a body": BODY}
SLOW = 500


@pytest.fixture
def listeners(tmp_path: Path) -> Iterator[Listeners]:
    with listening(f"sqlite:///{tmp_path / 'mail.db'}", trusted=True) as found:
        yield found


def connected(address: str, said: bytes) -> socket.socket:
    """A connection on which something was said."""
    host, _, port = address.rpartition(":")
    link = socket.create_connection((host, int(port)), timeout=20)
    link.sendall(said % address.encode() if said else b"")
    return link


def answer(link: socket.socket) -> http.client.HTTPResponse:
    """One answer, read whole."""
    response = http.client.HTTPResponse(link)
    response.begin()
    response.read()
    return response


@pytest.mark.parametrize("said", SILENT.values(), ids=SILENT)
def test_p34_a_request_that_does_not_come_ends_its_connection(
    listeners: Listeners, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FIRST_SECONDS", "HEAD_SECONDS", "BODY_SECONDS"):
        monkeypatch.setattr(paces, name, 0.1)
    with connected(listeners.http, said) as link:
        assert link.recv(1) == b""


@pytest.mark.parametrize("said", [b"\r\n", HEAD], ids=["empty lines", "half a head"])
def test_p34_nor_does_the_next_request_for_ever(
    listeners: Listeners, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paces, "FIRST_SECONDS", 0.2)
    monkeypatch.setattr(paces, "HEAD_SECONDS", 0.1)
    with connected(listeners.http, WHOLE) as link:
        assert answer(link).status == 200
        link.sendall(said % listeners.http.encode() if b"%" in said else said)
        assert link.recv(1) == b""


def test_p34_an_answer_may_take_longer_than_a_request(
    listeners: Listeners, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FIRST_SECONDS", "HEAD_SECONDS", "BODY_SECONDS"):
        monkeypatch.setattr(paces, name, 0.2)
    body = json.dumps({"timeoutSeconds": 1}).encode()
    said = (
        b"POST /agent.v1.AgentService/WaitForMail HTTP/1.1\r\nHost: %s\r\n"
        b"Content-Type: application/json\r\nContent-Length: "
    )
    whole = said % listeners.http.encode() + b"%d\r\n\r\n%b" % (len(body), body)
    with connected(listeners.http, b"") as link:
        # Behind it a request that is not read before this one is answered.
        link.sendall(whole + HEAD % listeners.http.encode())
        assert answer(link).status == 200


def test_p34_hundreds_of_slow_connections_do_not_delay_others(serving: Serving) -> None:
    server = serving()
    with ExitStack() as stack:
        for number in range(SLOW):
            said = list(SILENT.values())[number % len(SILENT)]
            stack.enter_context(connected(server.http, said))
        slowest = 0.0
        for kind in ("json", "grpc") * 10:
            begun = time.monotonic()
            server.door(kind).call("CreateAgent", name=f"a{begun:.6f}", workflow="w")
            slowest = max(slowest, time.monotonic() - begun)
        print(f"slowest of the others {slowest:.3f} s")
        assert slowest <= figure(0.25)
