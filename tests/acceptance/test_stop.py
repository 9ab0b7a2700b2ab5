"""SIGTERM: calls in progress finish, streams are told, nothing is left behind."""

import concurrent.futures
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from postroom.storage.open import sqlite_path
from tests.acceptance.conftest import Loads, Serving, on
from tests.acceptance.doors import Refused, open_channel, refusal
from tests.acceptance.holder import held
from tests.acceptance.load import Correspondents, make_agents, soak_rounds
from tests.acceptance.polling import eventually, figure, for_a_while
from tests.acceptance.server import Server
from tests.acceptance.truth import codes, judge, miscounted, stored_mail

STOP_SECONDS = figure(10.0)
NOW_SECONDS = figure(1.0)
ACKNOWLEDGED_PER_ROUND = 10


def test_p44_a_stop_under_load_loses_nothing(
    serving: Serving, load: Loads, database_url: str
) -> None:
    rounds = soak_rounds(2)
    server = serving()
    clients = load()
    clients.start(clients.plans(server, Correspondents.made(server)))
    slowest = 0.0
    for _ in range(rounds):
        clients.run_for(0.8)
        with _open_streams(server) as streams:
            server.terminate()
            slowest = max(slowest, eventually(lambda: not server.is_alive(), STOP_SECONDS, "end"))
            assert [_ending(stream) for stream in streams] == ["UNAVAILABLE"] * len(streams)
        assert server.wait(0) == 0
        _nothing_is_left(database_url)
        server.start()
        clients.where(server)
    entries = clients.stop()
    verdict = judge(entries, stored_mail(database_url))
    print(f"stops {rounds}, slowest {slowest:.2f} s")
    verdict.must_be_clean(at_least=ACKNOWLEDGED_PER_ROUND * rounds)
    assert codes(entries) <= {"UNAVAILABLE"}
    assert miscounted(database_url) == []


@contextmanager
def _open_streams(server: Server) -> Iterator[list[Any]]:
    """A watch of the health and both reflections, each after its first message."""
    with open_channel(server.grpc) as channel:
        watched = health_pb2.HealthCheckRequest().SerializeToString()
        watch: Any = channel.unary_stream("/grpc.health.v1.Health/Watch")(watched)
        next(watch)
        streams: list[Any] = [watch]
        closed = threading.Event()
        for package in ("grpc.reflection.v1", "grpc.reflection.v1alpha"):
            path = f"/{package}.ServerReflection/ServerReflectionInfo"
            method: Any = channel.stream_stream(path)
            streams.append(method(_one_question(closed)))
            next(streams[-1])
        yield streams
        closed.set()


def _one_question(closed: threading.Event) -> Iterator[bytes]:
    """A stream of requests that asks once and then stays open."""
    yield reflection_pb2.ServerReflectionRequest(list_services="").SerializeToString()
    closed.wait(STOP_SECONDS * 2)


def _ending(stream: Any) -> str:
    """The code that a stream ends with; messages before it do not matter."""
    try:
        for _ in stream:
            pass
    except grpc.RpcError as error:
        return refusal(error).code
    return "OK"


def _nothing_is_left(database_url: str) -> None:
    if database_url.startswith("sqlite"):
        path = sqlite_path(database_url)
        left = {each.name for each in path.parent.glob(f"*{path.name}*")}
        assert left == {path.name}


@on("sqlite")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_p44_a_call_in_progress_finishes_and_new_ones_are_refused(
    serving: Serving, database_url: str, number: signal.Signals
) -> None:
    server = serving()
    alfa, _ = make_agents(server, "alfa", "bravo")
    kinds = ("grpc", "json")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        with held(sqlite_path(database_url)):
            jobs = [pool.submit(_send, server, kind, alfa) for kind in kinds]
            for_a_while(0.5)
            server.process.send_signal(number)
            for kind in kinds:
                eventually(partial(_is_refused, server, kind), figure(2.0), f"{kind} refuses")
        sent = {job.result() for job in jobs}
    assert server.wait(STOP_SECONDS) == 0
    assert {piece.id for piece in stored_mail(database_url)} == sent


def _send(server: Server, kind: str, sender: str) -> str:
    mail: Any = server.door(kind).call("SendMail", sender, to="bravo", body=kind).mail
    return str(mail.id)


def _is_refused(server: Server, kind: str) -> bool:
    try:
        server.door(kind).call("ListMail", seconds=1.0)
    except Refused as refused:
        return refused.code == "UNAVAILABLE"
    return False


@on("sqlite")
def test_p44_a_second_signal_ends_the_server_at_once(serving: Serving, database_url: str) -> None:
    server = serving()
    alfa, _ = make_agents(server, "alfa", "bravo")
    with (
        concurrent.futures.ThreadPoolExecutor(1) as pool,
        held(sqlite_path(database_url)),
    ):
        job = pool.submit(_send, server, "grpc", alfa)
        for_a_while(0.5)
        server.terminate()
        for_a_while(0.3)
        assert server.is_alive(), "there was nothing to wait for"
        server.terminate()
        assert server.wait(NOW_SECONDS) != 0
        with pytest.raises(Refused):
            job.result()
