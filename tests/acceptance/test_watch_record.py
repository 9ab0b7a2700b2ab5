"""Watches of other mailboxes on a real server: each end is recorded, with what was given."""

import http.client
import json
from typing import Any

from agent.v1.agent_service_pb2 import WatchMailRequest, WatchMailResponse
from agent.v1.mail_pb2 import (
    MAILBOX_READ_EVENT_WATCH_CLOSED,
    MAILBOX_READ_EVENT_WATCH_OPENED,
    MailboxRead,
)
from postroom.storage.verify import verify
from tests.acceptance.conftest import Serving
from tests.acceptance.doors import AGENT_ID, open_channel
from tests.acceptance.load import make_agents
from tests.acceptance.polling import eventually
from tests.acceptance.server import Server

WATCH = "/agent.v1.AgentService/WatchMail"
OPENED, CLOSED = MAILBOX_READ_EVENT_WATCH_OPENED, MAILBOX_READ_EVENT_WATCH_CLOSED
SECONDS = 20.0


def reads_of(server: Server, id: str) -> list[MailboxRead]:
    """The record of a mailbox, newest first."""
    return list(server.door("grpc").call("ListMailboxReads", id=id).reads)


def becomes(server: Server, id: str, *events: int) -> list[MailboxRead]:
    """The record, once it tells these events."""
    told: list[int] = []

    def is_told() -> bool:
        told[:] = [read.event for read in reads_of(server, id)]
        return told == list(events)

    eventually(is_told, SECONDS, "the record tells of the watches")
    return reads_of(server, id)


def watch(channel: Any, as_: str, id: str) -> Any:
    """Watch over gRPC from what waits on."""
    call = channel.unary_stream(WATCH, response_deserializer=WatchMailResponse.FromString)
    request = WatchMailRequest(id=id, include_waiting=True).SerializeToString()
    return call(request, metadata=((AGENT_ID, as_),))


def test_a_watch_is_closed_in_the_record_when_its_caller_vanishes_and_when_the_server_stops(
    serving: Serving, database_url: str
) -> None:
    server = serving()
    alfa, bravo = make_agents(server, "alfa", "bravo")
    for number in range(3):
        server.door("grpc").call("SendMail", alfa, to=bravo, body=f"{number}")
    with open_channel(server.grpc) as channel:
        events = watch(channel, alfa, bravo)
        ids = [next(events).mail.id for _ in range(3)]
    closed, opened = becomes(server, bravo, CLOSED, OPENED)
    assert (closed.mail_count, closed.first_mail_id, closed.last_mail_id) == (3, ids[0], ids[2])
    assert (closed.surface, opened.surface, opened.peer) == ("grpc", "grpc", "127.0.0.1")

    connection = http.client.HTTPConnection(server.http, timeout=SECONDS)
    body = json.dumps({"id": bravo, "includeWaiting": True})
    told = {"Content-Type": "application/json", AGENT_ID: alfa}
    connection.request("POST", WATCH, body, told)
    answer = connection.getresponse()
    assert json.loads(answer.readline())["result"]["mail"]["id"] == ids[0]
    # As a client that is killed: nothing is said, the socket is gone.
    answer.close()
    connection.close()
    closed, opened, *_ = becomes(server, bravo, CLOSED, OPENED, CLOSED, OPENED)
    assert (closed.surface, closed.mail_count) == ("json", 3)

    with open_channel(server.grpc) as channel:
        events = watch(channel, alfa, bravo)
        assert [next(events).mail.id for _ in range(3)] == ids
        assert server.stop() == 0
    server.start()
    closed, opened, *_ = becomes(server, bravo, *[CLOSED, OPENED] * 3)
    assert (closed.surface, closed.mail_count) == ("grpc", 3)
    assert verify(database_url).reads == 6


def test_a_watch_in_a_killed_server_is_opened_in_the_record_and_the_chain_is_whole(
    serving: Serving, database_url: str
) -> None:
    server = serving()
    alfa, bravo = make_agents(server, "alfa", "bravo")
    server.door("grpc").call("SendMail", alfa, to=bravo, body="seen")
    with open_channel(server.grpc) as channel:
        events = watch(channel, alfa, bravo)
        next(events)
        server.kill()
    server.start()
    assert [read.event for read in reads_of(server, bravo)] == [OPENED]
    server.door("grpc").call("ListMail", alfa, id=bravo)
    assert verify(database_url).reads == 2
