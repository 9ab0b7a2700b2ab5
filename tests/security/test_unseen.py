"""S9: what is secret is in no log, no metric and, for tokens, not even in the database."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from postroom.rpc import contract
from postroom.token import parse
from tests.acceptance.doors import Refused, http_get, open_channel, raw_call
from tests.acceptance.server import Server, ended
from tests.security.conftest import operator_file
from tests.security.listeners import HAS_MCP
from tests.security.surfaces import posted

SPECS = {spec.name: spec for spec in contract.load().specs}
BODY, QUERY, SUBJECT = "m4rker-b0dy", "m4rker-qu3ry", "m4rker-subj3ct"
BASIC = "bTRya2VyLWIwZHk6bTRya2Vy"
UNKNOWN_SECRET = "u" * 43
UNKNOWN = f"prt_{'n' * 12}_{UNKNOWN_SECRET}"
FORGED = '\n{"time":"2026-12-01T00:00:00.000Z","level":"error","message":"forged"}\r\n'
SURFACES = ("grpc", "json", "connect", "mcp") if HAS_MCP else ("grpc", "json", "connect")


@dataclass(frozen=True)
class Client:
    """Calls one server through any surface, whatever the answer is."""

    server: Server

    def call(self, surface: str, method: str, token: str, **fields: Any) -> Any:
        """Make one call; returns the answer of the JSON surface."""
        proof = f"Bearer {token}" if token else f"Basic {BASIC}"
        if surface == "grpc":
            request = SPECS[method].request_class(**fields).SerializeToString()
            return self.grpc(method, request, proof)
        if surface == "mcp":
            return self.mcp(SPECS[method].snake_name, fields, proof)
        more = {"Connect-Protocol-Version": "1"} if surface == "connect" else {}
        path = f"/{SPECS[method].full_name}"
        return self.post(path, json.dumps(fields).encode(), proof, more)

    def grpc(self, method: str, request: bytes, proof: str) -> None:
        """Send bytes as they are."""
        channel = open_channel(self.server.grpc)
        try:
            raw_call(
                channel,
                f"/{SPECS[method].full_name}",
                request,
                metadata=(("authorization", proof),),
            )
        except Refused:
            pass
        finally:
            channel.close()

    def post(self, path: str, body: bytes, proof: str, more: Mapping[str, str]) -> Any:
        """Send a body as it is."""
        told = {"Content-Type": "application/json", "Authorization": proof, **more}
        with posted(self.server.http, path, body, told) as response:
            text = response.read()
        return json.loads(text) if text.startswith(b"{") else text

    def mcp(self, tool: str, arguments: Mapping[str, Any], proof: str) -> Any:
        """Call a tool."""
        params = {"name": tool, "arguments": arguments}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        accepted = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        return self.post("/mcp", json.dumps(call).encode(), proof, accepted)


@dataclass(frozen=True)
class Told:
    """Everything that a server told of known calls."""

    alfa: str
    token: str
    lines: list[dict[str, Any]]
    texts: dict[str, str]
    database: bytes


def _make_calls(client: Client, operator: str, token: str, bravo: str) -> None:
    for surface in SURFACES:
        client.call(surface, "SendMail", token, to=bravo, body=BODY, request_id=f"{surface}-1")
        client.call(surface, "ListMail", token)
        client.call(surface, "ReadMail", token)
        client.call(surface, "SendMail", token, to=f"{SUBJECT}{FORGED}", body=BODY)
        client.call(surface, "SendMail", token, to=bravo, body=f"{BODY} {token}")
        client.call(surface, "SendMail", token, to=bravo, body=BODY, request_id=f"{token}{FORGED}")
        client.call(surface, "SendMail", token, to=bravo, body=BODY * 2000)
        client.call(surface, "SendMail", UNKNOWN, to=bravo, body=BODY)
        client.call(surface, "SendMail", "", to=bravo, body=BODY)
        client.call(surface, "GetAgent", operator, id=f"{SUBJECT}{FORGED}")
    path = f"/{SPECS['SendMail'].full_name}"
    client.post(path, f'{{"to": "{SUBJECT}", "body": {BODY}'.encode(), f"Bearer {token}", {})
    client.post(f"{path}?to={QUERY}&token={token}", b"", f"Bearer {token}", {})
    client.post(f"{path}{QUERY}", BODY.encode(), f"Bearer {token}", {"Host": f"{QUERY}.example"})
    client.post("/mcp", f'{{"{BODY}": 1}}'.encode(), f"Bearer {token}", {"Accept": "*/*"})
    client.grpc("SendMail", b"\x0a\xff" + BODY.encode(), f"Bearer {token}")
    if HAS_MCP:
        client.mcp("send_mail", {"to": [BODY], "body": {SUBJECT: token}}, f"Bearer {token}")
        client.mcp(f"{SUBJECT}{FORGED}", {}, f"Bearer {token}")


@pytest.fixture(scope="module", params=["json", "text"])
def told(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Told:
    """What a server told, in either form of its log."""
    folder = tmp_path_factory.mktemp("unseen")
    settings = {
        "POSTROOM_REQUIRE_AUTH": "true",
        "POSTROOM_LOG_CALLS": "all",
        "POSTROOM_LOG_FORMAT": request.param,
    }
    server = Server(folder, f"sqlite:///{folder / 'mail.db'}", settings=settings)
    with ended(server.start()):
        return _told(server, folder, is_json=request.param == "json")


def _told(server: Server, folder: Path, *, is_json: bool) -> Told:
    client, operator = Client(server), operator_file(folder).read_text().strip()
    alfa, bravo = (
        client.call("json", "CreateAgent", operator, name=name, workflow="main")["agent"]["id"]
        for name in ("alfa", "bravo")
    )
    token = client.call("json", "CreateToken", operator, agent_id=alfa)["token"]
    _make_calls(client, operator, token, bravo)
    metrics = http_get(server.http, "/metrics").body.decode()
    assert server.stop() == 0
    log = server.log()
    lines = [json.loads(line) for line in log.splitlines()] if is_json else []
    database = b"".join(path.read_bytes() for path in folder.glob("mail.db*"))
    return Told(alfa, token, lines, {"log": log, "metrics": metrics}, database)


def test_nothing_secret_is_told_and_no_line_is_forged(told: Told) -> None:
    _, secret = parse(told.token)
    for name, text in told.texts.items():
        for marker in (BODY, QUERY, SUBJECT, BASIC, UNKNOWN_SECRET, secret):
            assert marker not in text, (name, marker)
        assert not [line for line in text.splitlines() if "forged" in line[:80]]
    # Mail is at home in the database. Tokens are not.
    assert BODY.encode() in told.database
    assert secret.encode() not in told.database
    if told.lines:
        _check_lines(told)


def _check_lines(told: Told) -> None:
    calls = [line for line in told.lines if line["message"] == "call"]
    found = {(line["surface"], line["code"], line.get("reason")) for line in calls}
    for surface in SURFACES:
        assert (surface, "OK", None) in found
        assert (surface, "NOT_FOUND", "AGENT_NOT_FOUND") in found
        assert (surface, "UNAUTHENTICATED", "TOKEN_INVALID") in found
        assert (surface, "INVALID_ARGUMENT", "BODY_CONTAINS_CREDENTIAL") in found
    key_id, _ = parse(told.token)
    sent = [line for line in calls if line.get("request_id") == "json-1"]
    assert [(line["caller"], line["key"], line["peer"]) for line in sent] == [
        (told.alfa, key_id, "127.0.0.1")
    ]
    away = {(line["surface"], line["reason"]) for line in told.lines if "turned" in line["message"]}
    assert {("json", "BAD_REQUEST"), ("grpc", "BAD_REQUEST"), ("http", "BAD_HOST")} <= away
    assert all(re.fullmatch(r"[0-9T:.-]+Z", line["time"]) for line in told.lines)


def test_all_surfaces_count_into_the_same_series(told: Told) -> None:
    series = 'grpc_server_handled_total{grpc_code="OK",grpc_method="ListMail"'
    (line,) = [line for line in told.texts["metrics"].splitlines() if line.startswith(series)]
    assert float(line.rpartition(" ")[2]) == len(SURFACES)
