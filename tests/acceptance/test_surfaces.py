"""One server, one store: whatever comes in at one door is seen at every other."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from agent.v1.agent_service_pb2 import ListMailRequest, SendMailRequest
from agent.v1.agent_service_pb2_grpc import AgentServiceStub
from tests.acceptance.conftest import Serving, on
from tests.acceptance.doors import AGENT_ID, SERVICE, JsonDoor, open_channel
from tests.acceptance.load import make_agents
from tests.acceptance.server import Server, environment

HEALTH = "/grpc.health.v1.Health"
ENVELOPES = ("grpc.reflection.v1", "grpc.reflection.v1alpha")


@pytest.fixture
def channel(kept: Server) -> Iterator[Any]:
    """A gRPC channel to the shared server."""
    with open_channel(kept.grpc) as opened:
        yield opened


def command(server_url: str, folder: Path, *arguments: str, agent: str = "") -> Any:
    """Run `postroom` as a person would, in a folder of its own."""
    variables = {"POSTROOM_URL": server_url} | ({"POSTROOM_AGENT_ID": agent} if agent else {})
    return subprocess.run(
        [sys.executable, "-m", "postroom", *arguments],
        check=False,
        capture_output=True,
        cwd=folder,
        env=environment(folder) | variables,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=60,
    )


def test_c13_every_door_sees_one_store(serving: Serving, tmp_path: Path) -> None:
    server = serving()
    alfa, bravo = make_agents(server, "alfa", "bravo")
    web = server.door("json")
    assert isinstance(web, JsonDoor)
    sent = [
        _send_json(web, alfa),
        _send_grpc(server, alfa),
        _send_command(server, alfa, tmp_path),
    ]
    web.post(f"/{SERVICE}/SendMail", json.dumps({"to": bravo, "body": "operator"}).encode(), {})
    expected = ["operator", *(mail["body"] for mail in reversed(sent))]
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    listed = command(f"http://{server.http}", folder, "rpc", "list-mail", agent=bravo)
    pages = [
        json.loads(listed.stdout)["mail"],
        web.post(f"/{SERVICE}/ListMail", b"{}", {AGENT_ID: bravo}).json["mail"],
    ]
    for page in pages:
        assert [mail["body"] for mail in page] == expected
    with open_channel(server.grpc) as opened:
        stub: Any = AgentServiceStub(opened)
        page = stub.ListMail(ListMailRequest(), metadata=((AGENT_ID, bravo),)).mail
    assert [mail.body for mail in page] == expected
    assert [mail.id for mail in page][1:] == [mail["id"] for mail in reversed(sent)]


def _send_json(web: JsonDoor, sender: str) -> Any:
    body = b'{\n  "to": "bravo",\n  "body": "json"\n}'
    reply = web.post(f"/{SERVICE}/SendMail", body, {AGENT_ID: sender})
    assert reply.status == 200
    assert reply.json["warning"] == ""
    return reply.json["mail"]


def _send_grpc(server: Server, sender: str) -> Any:
    with open_channel(server.grpc) as opened:
        stub: Any = AgentServiceStub(opened)
        request = SendMailRequest(to="bravo", body="grpc")
        mail = stub.SendMail(request, metadata=((AGENT_ID, sender),)).mail
    return {"id": mail.id, "body": mail.body}


def _send_command(server: Server, sender: str, folder: Path) -> Any:
    words = ("rpc", "send-mail", "--to", "bravo", "--body", "command")
    done = command(f"http://{server.http}", folder, *words, agent=sender)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)["mail"]


@on("sqlite")
@pytest.mark.needs("curl")
def test_the_calls_of_the_documentation_work_with_curl(serving: Serving) -> None:
    server = serving()
    (alfa,) = make_agents(server, "alfa")
    sent = _curl(server, "SendMail", '{\n  "to": "alfa",\n  "body": "hello"\n}')
    assert sent["mail"]["fromAgentId"] == "operator"
    assert sent["mail"]["toAgentId"] == alfa
    assert sent["mail"]["kind"] == "MAIL_KIND_PLAIN"
    assert "claimedAt" not in sent["mail"]
    assert _curl(server, "ListMail", "{}") == {"mail": [], "nextPageToken": ""}
    assert _curl(server, "ListMail", json.dumps({"id": alfa}))["mail"] == [sent["mail"]]


def _curl(server: Server, method: str, body: str) -> Any:
    url = f"http://{server.http}/{SERVICE}/{method}"
    words = ["curl", "-sS", "--noproxy", "*", "-X", "POST", url]
    words += ["-H", "Content-Type: application/json", "-d", body]
    return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)


def test_a_repeat_through_another_door_and_after_a_restart_is_the_same_mail(
    serving: Serving,
) -> None:
    server = serving()
    alfa, _ = make_agents(server, "alfa", "bravo")
    fields: Any = {"to": "bravo", "body": "once", "request_id": "r-1"}
    first = server.door("grpc").call("SendMail", alfa, **fields)
    server.kill()
    server.start()
    assert server.door("json").call("SendMail", alfa, **fields) == first
    assert server.door("grpc").call("SendMail", alfa, **fields) == first


@pytest.mark.parametrize("package", ENVELOPES)
def test_both_versions_of_reflection_name_and_describe_every_service(
    channel: grpc.Channel, package: str
) -> None:
    asked = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol=f"{SERVICE}.SendMail"),
        reflection_pb2.ServerReflectionRequest(
            file_containing_symbol=f"{package}.ServerReflection"
        ),
    ]
    info: Any = channel.stream_stream(
        f"/{package}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    services, method, own = info(iter(asked), timeout=10)
    names = {service.name for service in services.list_services_response.service}
    assert names >= {
        SERVICE,
        "grpc.health.v1.Health",
        *(f"{p}.ServerReflection" for p in ENVELOPES),
    }
    assert method.file_descriptor_response.file_descriptor_proto
    assert own.file_descriptor_response.file_descriptor_proto


@pytest.mark.parametrize("service", ["", SERVICE])
def test_health_is_told_when_asked_and_when_watched(channel: grpc.Channel, service: str) -> None:
    request = health_pb2.HealthCheckRequest(service=service)
    serving = health_pb2.HealthCheckResponse.SERVING
    check: Any = channel.unary_unary(
        f"{HEALTH}/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    watch: Any = channel.unary_stream(
        f"{HEALTH}/Watch",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    assert check(request, timeout=10).status == serving
    stream = watch(request, timeout=10)
    assert next(stream).status == serving
    stream.cancel()


@on("sqlite")
def test_c33_the_command_says_so_when_it_cannot_reach_the_server(
    serving: Serving, tmp_path: Path
) -> None:
    server = serving()
    (alfa,) = make_agents(server, "alfa")
    server.door("json").call("SendMail", to="alfa", body="fresh")
    url = f"http://{server.http}"
    listed = command(url, tmp_path, "rpc", "list-mail", agent=alfa)
    assert [mail["body"] for mail in json.loads(listed.stdout)["mail"]] == ["fresh"]
    server.stop()
    _must_fail(command(url, tmp_path, "rpc", "list-mail", agent=alfa))
    with _stranger() as port:
        words = ("rpc", "list-mail", "--timeout", "5")
        _must_fail(command(f"http://127.0.0.1:{port}", tmp_path, *words, agent=alfa))


def _must_fail(done: Any) -> None:
    assert done.returncode not in (0, 1)
    assert done.stdout == ""
    assert done.stderr.startswith("unavailable: ")
    assert done.stderr.count("\n") == 1


@contextmanager
def _stranger() -> Iterator[int]:
    """Another program on the port: it answers every caller with a line of its own."""

    def greet() -> None:
        listener.settimeout(10)
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"220 welcome\r\n")
            connection.recv(4096)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        yield int(listener.getsockname()[1])
        thread.join(10)
