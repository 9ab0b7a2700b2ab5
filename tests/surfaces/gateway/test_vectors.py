"""What the real grpc-gateway was seen to do, request by request."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from google.api.http_pb2 import HttpRule
from google.protobuf import json_format
from google.rpc.status_pb2 import Status

from postroom.rpc.contract import Contract, read
from postroom.surfaces.gateway import Gateway
from postroom.surfaces.gateway.failure import Failure
from tests.surfaces.gateway.doors import ScriptedDoor
from tests.surfaces.gateway.http import Answer, ask
from tests.surfaces.gateway.protos import method, pool_of

DATA = json.loads((Path(__file__).parent / "vectors.json").read_text())
EMPTY_LIST = {"mail": [], "nextPageToken": ""}
BAD_TEXT = {"status": 400, "json_subset": {"code": 3, "details": []}, "rpc": None}
# Where the gateway answers otherwise on purpose, what it answers. See docs/json.md.
DEVIATIONS: dict[str, dict[str, Any]] = {
    "get_query_invalid_utf8": BAD_TEXT,
    "get_path_invalid_utf8": BAD_TEXT,
    "get_path_encoded_slash": {
        "status": 200,
        "json": EMPTY_LIST,
        "rpc": {"method": "/agent.v1.AgentService/ListMail", "request": {"id": "a/b"}},
    },
    "encoded_slash_in_unbound_path": {
        "status": 404,
        "json": {"code": 5, "message": "Not Found", "details": []},
        "rpc": None,
    },
    "error_details_unresolvable": {
        "status": 404,
        "json": {"code": 5, "message": "bad", "details": []},
        "rpc": {"method": "/agent.v1.AgentService/SendMail", "request": {}},
    },
    "out_trailer_with_te": {"trailers": None},
    "out_trailer_with_te_on_error": {"trailers": None},
}


def _contract() -> Contract:
    proto = DATA["proto"]
    service = proto["service agent.v1.AgentService"]
    assert "GET /v1/agents/{id}/mail" in service["ListMail"]
    one = "/agent.v1.AgentService/"
    methods = (
        method(
            "SendMail",
            ".agent.v1.SendMailRequest",
            ".agent.v1.SendMailResponse",
            HttpRule(post="/v1/mail", body="*"),
            HttpRule(post=f"{one}SendMail", body="*"),
        ),
        method(
            "ListMail",
            ".agent.v1.ListMailRequest",
            ".agent.v1.ListMailResponse",
            HttpRule(get="/v1/agents/{id}/mail"),
            HttpRule(post=f"{one}ListMail", body="*"),
        ),
        method("WatchMail", ".agent.v1.ListMailRequest", ".agent.v1.Mail", streams=True),
    )
    pool = pool_of("agent.v1", proto["messages"], proto["enums"], methods, "AgentService")
    return read(["test.proto"], pool, {})


CONTRACT = _contract()


@pytest.mark.parametrize("vector", DATA["vectors"], ids=lambda vector: vector["name"])
def test_it_answers_as_grpc_gateway_does(vector: dict[str, Any]) -> None:
    expect = vector["expect"] | DEVIATIONS.get(vector["name"], {})
    door = _door(vector["backend"], expect["rpc"])
    asked = vector["request"]
    raw = asked.get("body_base64")
    body = base64.b64decode(raw) if raw else asked.get("body", "").encode()
    headers = [(name, value) for name, value in asked["headers"]]
    answer = ask(Gateway(door), asked["method"], asked["path"], headers, body)
    _check_answer(answer, expect, vector)
    _check_rpc(door, expect["rpc"])


def test_every_deviation_is_one_that_the_vectors_allow() -> None:
    allowed = {v["name"] for v in DATA["vectors"] if "allowed_deviation" in v}
    assert set(DEVIATIONS) <= allowed


def _door(backend: dict[str, Any], rpc: dict[str, Any] | None) -> ScriptedDoor:
    specs = {f"/{spec.full_name}": spec for spec in CONTRACT.specs}
    response = specs[rpc["method"]].response_class if rpc else Status
    told = backend.get("stream", [backend.get("response", {})]) if rpc else []
    return ScriptedDoor(
        CONTRACT.specs,
        [json_format.ParseDict(one, response()) for one in told],
        _error(backend),
        [(k, v) for k, values in backend.get("header", {}).items() for v in values],
        [(k, v) for k, values in backend.get("trailer", {}).items() for v in values],
        hangs="sleep_ms" in backend,
    )


def _error(backend: dict[str, Any]) -> Failure | None:
    if "status_proto_base64" in backend:
        return Failure(Status.FromString(base64.b64decode(backend["status_proto_base64"])))
    if "status" not in backend:
        return None
    return Failure(json_format.ParseDict(backend["status"], Status()))


def _check_answer(answer: Answer, expect: dict[str, Any], vector: dict[str, Any]) -> None:
    assert answer.status == expect["status"]
    assert answer.is_whole
    if "json" in expect:
        found, wanted = answer.json, expect["json"]
        if vector.get("go_specific_text"):
            prefix = wanted["message"].partition(":")[0]
            assert found["message"].startswith(prefix)
            wanted = wanted | {"message": found["message"]}
        assert found == wanted
    if "json_subset" in expect:
        assert answer.json.items() >= expect["json_subset"].items()
        assert answer.json["message"]
    if "ndjson" in expect:
        assert answer.lines == expect["ndjson"]
    if "text" in expect:
        assert answer.body.decode() == expect["text"]
    for name, values in expect.get("headers", {}).items():
        assert answer.header(name) == values
    for name in expect.get("absent_headers", ()):
        assert answer.header(name) == []


def _check_rpc(door: ScriptedDoor, rpc: dict[str, Any] | None) -> None:
    if rpc is None:
        assert door.asked == []
        return
    (asked,) = door.asked
    assert f"/{asked.spec.full_name}" == rpc["method"]
    assert json_format.MessageToDict(asked.request) == rpc["request"]
    metadata: dict[str, list[str]] = {}
    for key, value in asked.incoming.metadata:
        text = value.decode() if isinstance(value, bytes) else value
        metadata.setdefault(key, []).append(text)
    assert {key: metadata.get(key) for key in rpc.get("metadata", {})} == rpc.get("metadata", {})
    assert not metadata.keys() & set(rpc.get("absent_metadata", ()))
