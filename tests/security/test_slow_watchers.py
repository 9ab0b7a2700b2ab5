"""Watchers that do not read, that run out of time, and that go away."""

import http.client
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from agent.v1.agent_service_pb2 import WatchMailRequest, WatchMailResponse
from tests.acceptance.doors import GrpcDoor, open_channel, refusal
from tests.acceptance.polling import eventually
from tests.security.listeners import Listeners, listening

WATCH = "/agent.v1.AgentService/WatchMail"
PATIENCE = 0.5
# Far more than all buffers between a server and a client take.
PIECES, BODY = 400, "\U0001f4ec" * 10_000


@pytest.fixture
def listeners(tmp_path: Path) -> Iterator[Listeners]:
    database = f"sqlite:///{tmp_path / 'mail.db'}"
    with listening(database, trusted=True, patience=PATIENCE, mailbox_limit=1000) as found:
        yield found


@pytest.fixture
def door(listeners: Listeners) -> Iterator[GrpcDoor]:
    found = GrpcDoor(listeners.grpc)
    yield found
    found.close()


@pytest.fixture
def alfa(door: GrpcDoor) -> str:
    return str(door.call("CreateAgent", name="alfa", workflow="w").agent.id)


def fill(door: GrpcDoor, to: str) -> None:
    for number in range(PIECES):
        door.call("SendMail", to=to, body=f"{number:04}{BODY[4:]}")


def watch(channel: grpc.Channel, as_: str, **fields: Any) -> Any:
    call: Any = channel.unary_stream(WATCH, response_deserializer=WatchMailResponse.FromString)
    request = WatchMailRequest(**fields).SerializeToString()
    return call(request, metadata=(("postroom-agent-id", as_),), timeout=30)


def watch_lines(listeners: Listeners, as_: str, body: Any, *headers: str) -> socket.socket:
    """A JSON watch on a bare socket that reads nothing by itself."""
    host, _, port = listeners.http.rpartition(":")
    link = socket.socket()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    link.settimeout(20)
    link.connect((host, int(port)))
    text = json.dumps(body)
    told = [
        f"POST {WATCH} HTTP/1.1",
        f"Host: {listeners.http}",
        f"Postroom-Agent-Id: {as_}",
        "Content-Type: application/json",
        f"Content-Length: {len(text)}",
        *headers,
    ]
    link.sendall("\r\n".join([*told, "", text]).encode())
    return link


def lines(link: socket.socket) -> list[Any]:
    """Everything that is still to be read."""
    response = http.client.HTTPResponse(link)
    response.begin()
    return [json.loads(line) for line in response.read().splitlines()]


def test_a_grpc_watcher_that_does_not_read_is_cut_off_and_can_go_on(
    listeners: Listeners, door: GrpcDoor, alfa: str
) -> None:
    fill(door, alfa)
    channel = open_channel(listeners.grpc)
    events = watch(channel, alfa, include_waiting=True)
    seen = [next(events)]
    eventually(lambda: listeners.watchers == 0, 10, "its place is free, whether it reads or not")
    with pytest.raises(grpc.RpcError) as ended:
        seen += list(iter(lambda: next(events), None))
    told = refusal(ended.value)
    assert (told.code, told.reason) == ("RESOURCE_EXHAUSTED", "WATCH_LAGGED")
    assert "cursor" in told.message
    assert 0 < len(seen) < PIECES
    rest = watch(channel, alfa, cursor=seen[-1].cursor)
    seen += [next(rest) for _ in range(PIECES - len(seen))]
    assert [int(event.mail.body[:4]) for event in seen] == list(range(PIECES))
    rest.cancel()
    channel.close()


def test_a_json_watcher_that_does_not_read_is_cut_off_and_can_go_on(
    listeners: Listeners, door: GrpcDoor, alfa: str
) -> None:
    fill(door, alfa)
    with watch_lines(listeners, alfa, {"includeWaiting": True}) as link:
        eventually(lambda: listeners.watchers == 1, 10, "it watches")
        eventually(lambda: listeners.watchers == 0, 10, "its place is free")
        *seen, last = lines(link)
    assert last["error"]["code"] == 8
    assert last["error"]["details"][0]["reason"] == "WATCH_LAGGED"
    assert 0 < len(seen) < PIECES
    channel = open_channel(listeners.grpc)
    rest = watch(channel, alfa, cursor=seen[-1]["result"]["cursor"])
    numbers = [int(event["result"]["mail"]["body"][:4]) for event in seen]
    numbers += [int(next(rest).mail.body[:4]) for _ in range(PIECES - len(seen))]
    assert numbers == list(range(PIECES))
    rest.cancel()
    channel.close()


def test_a_watcher_with_nothing_to_read_is_never_slow(
    listeners: Listeners, door: GrpcDoor, alfa: str
) -> None:
    channel = open_channel(listeners.grpc)
    events = watch(channel, alfa)
    link = watch_lines(listeners, alfa, {}, f"Grpc-Timeout: {int(PIECES)}S")
    eventually(lambda: listeners.watchers == 2, 5, "both watch")
    time.sleep(PATIENCE * 3)
    assert listeners.watchers == 2
    door.call("SendMail", to=alfa, body="at last")
    assert next(events).mail.body == "at last"
    response = http.client.HTTPResponse(link)
    response.begin()
    assert json.loads(response.readline())["result"]["mail"]["body"] == "at last"
    events.cancel()
    response.close()
    link.close()
    channel.close()
    eventually(lambda: listeners.watchers == 0, 5, "those who went away hold no place")


def test_the_time_that_a_caller_gives_ends_its_stream(
    listeners: Listeners, door: GrpcDoor, alfa: str
) -> None:
    door.call("SendMail", to=alfa, body="one")
    body = {"includeWaiting": True}
    with watch_lines(listeners, alfa, body, "Grpc-Timeout: 300m") as link:
        first, last = lines(link)
    assert first["result"]["mail"]["body"] == "one"
    assert last["error"]["code"] == 4
    channel = open_channel(listeners.grpc)
    call: Any = channel.unary_stream(WATCH)
    with pytest.raises(grpc.RpcError) as ended:
        list(call(b"", timeout=0.3, metadata=(("postroom-agent-id", alfa),)))
    assert refusal(ended.value).code == "DEADLINE_EXCEEDED"
    channel.close()
    eventually(lambda: listeners.watchers == 0, 5, "nobody watches any more")


def test_c39_two_hundred_watchers_that_are_dropped_hold_no_place(
    listeners: Listeners, door: GrpcDoor, alfa: str
) -> None:
    door.call("SendMail", to=alfa, body="one")
    channel = open_channel(listeners.grpc)
    for _ in range(200):
        events = watch(channel, alfa, include_waiting=True)
        assert next(events).mail.body == "one"
        events.cancel()
        eventually(lambda: listeners.watchers < 16, 5, "there is room for one more")
    eventually(lambda: listeners.watchers == 0, 5, "nobody watches any more")
    channel.close()
