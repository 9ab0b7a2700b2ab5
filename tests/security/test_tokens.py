"""S4 and S9: where tokens and mail may be found, and how soon a revoked token is worthless."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import grpc
import pytest

from agent.v1.agent_service_pb2 import WatchMailResponse
from tests.acceptance.doors import GrpcDoor, open_channel, refusal
from tests.acceptance.polling import eventually
from tests.acceptance.server import Server
from tests.security.callers import Kind
from tests.security.conftest import Serving, operator_file
from tests.security.surfaces import headers, posted

WATCH = "/agent.v1.AgentService/WatchMail"
MARKER = "marker-of-a-body-that-is-nobodys-business"


def proven(server: Server, folder: Path, name: str) -> tuple[str, str]:
    """An agent with a token: its id and the token."""
    token = operator_file(folder).read_text().strip()
    door = Proven(server.grpc, token)
    agent = door.call("CreateAgent", name=name, workflow="w").agent.id
    made = door.call("CreateToken", agent_id=agent).token
    door.close()
    return agent, made


class Proven(GrpcDoor):
    """A gRPC client with a token."""

    def __init__(self, address: str, token: str) -> None:
        super().__init__(address)
        proof = ("authorization", f"Bearer {token}")
        self._plain, self.channel = self.channel, _WithToken(self.channel, proof)  # type: ignore[assignment]

    def close(self) -> None:
        self._plain.close()


class _WithToken:
    def __init__(self, channel: grpc.Channel, proof: tuple[str, str]) -> None:
        self._channel, self._proof = channel, proof

    def unary_unary(self, path: str) -> Any:
        call: Any = self._channel.unary_unary(path)

        def proven_call(request: bytes, *, timeout: float, metadata: Any) -> bytes:
            answer: bytes = call(request, timeout=timeout, metadata=(*metadata, self._proof))
            return answer

        return proven_call


def watched_until_refused(address: str, token: str, ended: dict[str, tuple[float, str]]) -> None:
    channel = open_channel(address)
    call: Any = channel.unary_stream(WATCH, response_deserializer=WatchMailResponse.FromString)
    try:
        list(call(b"", metadata=(("authorization", f"Bearer {token}"),), timeout=60))
    except grpc.RpcError as error:
        ended[f"grpc {address}"] = time.monotonic(), refusal(error).reason
    channel.close()


def lines_until_refused(address: str, token: str, ended: dict[str, tuple[float, str]]) -> None:
    told = {"Content-Type": "application/json"} | headers(Kind("", False, token=token))
    with posted(address, WATCH, b"{}", told) as response:
        last = json.loads(response.read().splitlines()[-1])
        ended[f"json {address}"] = time.monotonic(), last["error"]["details"][0]["reason"]


def test_s4_a_revoked_token_ends_streams_on_every_server_within_5_s(
    serving: Serving, folder: Path
) -> None:
    servers = [serving(require_auth="true"), serving(require_auth="true")]
    _, token = proven(servers[0], folder, "alfa")
    ended: dict[str, tuple[float, str]] = {}
    threads = [
        threading.Thread(target=target, args=(address, token, ended))
        for server in servers
        for target, address in (
            (watched_until_refused, server.grpc),
            (lines_until_refused, server.http),
        )
    ]
    for thread in threads:
        thread.start()
    time.sleep(1)
    assert not ended
    operator = Proven(servers[0].grpc, operator_file(folder).read_text().strip())
    operator.call("RevokeToken", key_id=token.split("_")[1])
    revoked = time.monotonic()
    for thread in threads:
        thread.join(10)
    operator.close()
    assert len(ended) == 4
    assert {reason for _, reason in ended.values()} == {"TOKEN_INVALID"}
    assert max(at for at, _ in ended.values()) - revoked < 5
    refused = Proven(servers[1].grpc, token)
    with pytest.raises(Exception, match="TOKEN_INVALID"):
        refused.call("ListMail")
    refused.close()


def test_s9_no_token_is_anywhere_but_with_its_holder_and_no_body_is_in_a_log(
    serving: Serving, folder: Path
) -> None:
    server = serving(require_auth="true", log_level="debug")
    alfa, first = proven(server, folder, "alfa")
    bravo, second = proven(server, folder, "bravo")
    operator = operator_file(folder).read_text().strip()
    for sender, to in ((first, bravo), (second, alfa), (operator, alfa)):
        door = Proven(server.grpc, sender)
        door.call("SendMail", to=to, body=MARKER)
        with pytest.raises(Exception, match="BODY_CONTAINS_CREDENTIAL") as refused:
            door.call("SendMail", to=to, body=f"{MARKER} {first}")
        assert first not in str(refused.value)
        with pytest.raises(Exception, match="AGENT_NOT_FOUND"):
            door.call("ListMail", id=MARKER)
        door.close()
    for bad in (first[:-1] + "!", f"{first}x", "Basic x"):
        told = {"Content-Type": "application/json", "Authorization": f"Bearer {bad}"}
        with posted(server.http, "/agent.v1.AgentService/ListMail", b"{}", told) as response:
            assert (response.status, bad in response.read().decode()) == (401, False)
    server.stop()
    kept = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    secrets = [token.encode()[17:] for token in (first, second, operator)]
    holding = {path for path, content in kept.items() for one in secrets if one in content}
    assert holding == {operator_file(folder)}
    logs = [content for path, content in kept.items() if path.suffix in (".err", ".out")]
    assert logs
    assert not [content for content in logs if MARKER.encode() in content]
    assert any(MARKER.encode() in content for content in kept.values()), "the search finds things"


def test_the_operators_token_outlives_a_restart_and_is_replaced_when_it_is_lost(
    serving: Serving, folder: Path
) -> None:
    server, path = serving(require_auth="true"), operator_file(folder)
    first = path.read_text()
    assert path.parent.stat().st_mode & 0o777 == 0o700
    server.stop()
    server.start()
    assert path.read_text() == first
    server.stop()
    path.unlink()
    server.start()
    second = path.read_text()
    assert second != first
    server.stop()
    path.chmod(0o644)
    server.start()
    third = path.read_text()
    assert third != second
    assert path.stat().st_mode & 0o777 == 0o600
    door = Proven(server.grpc, second.strip())
    with pytest.raises(Exception, match="TOKEN_INVALID"):
        door.call("ListMail")
    door.close()


def test_twenty_bad_tokens_in_a_minute_are_enough_and_good_ones_go_on(
    serving: Serving, folder: Path
) -> None:
    server = serving(require_auth="true")
    operator = operator_file(folder).read_text().strip()
    reasons = []
    for number in range(25):
        told = {"Authorization": f"Bearer prt_{number:012}_{'x' * 43}"}
        with posted(
            server.http,
            "/agent.v1.AgentService/ListMail",
            b"{}",
            told | {"Content-Type": "application/json"},
        ) as response:
            answer = json.loads(response.read())
            reasons.append((response.status, answer["details"][0]["reason"]))
    assert reasons == [(401, "TOKEN_INVALID")] * 20 + [(429, "AUTH_THROTTLED")] * 5
    assert [one["@type"].rpartition(".")[2] for one in answer["details"]] == [
        "ErrorInfo",
        "RetryInfo",
    ]
    door = Proven(server.grpc, f"prt_{'a' * 12}_{'x' * 43}")
    with pytest.raises(Exception, match="RESOURCE_EXHAUSTED AUTH_THROTTLED"):
        door.call("ListMail")
    door.close()
    good = Proven(server.grpc, operator)
    assert good.call("ListMail") is not None
    good.close()
    eventually(server.is_ready, 5, "it still serves")
