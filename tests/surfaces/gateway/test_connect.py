"""The Connect dialect beside the gateway's, on the same paths."""

from typing import Any

import pytest
from google.api.http_pb2 import HttpRule
from google.protobuf.descriptor_pb2 import MethodOptions

from postroom.errors import NotFound
from postroom.rpc.contract import read
from postroom.surfaces.gateway import Gateway
from tests.surfaces.gateway.doors import ScriptedDoor
from tests.surfaces.gateway.http import Answer, ask
from tests.surfaces.gateway.kinds import ENUMS, MESSAGES
from tests.surfaces.gateway.protos import method, pool_of

JSON = ("Content-Type", "application/json")
PROTO = ("Content-Type", "application/proto")
V1 = ("Connect-Protocol-Version", "1")
DO, LOOK, WATCH = "/test.Service/Do", "/test.Service/Look", "/test.Service/Watch"

LOOKS = method("Look", ".test.Inner", ".test.Inner")
LOOKS.options.idempotency_level = MethodOptions.NO_SIDE_EFFECTS
POOL = pool_of(
    "test",
    MESSAGES,
    ENUMS,
    (
        method("Do", ".test.Inner", ".test.Inner"),
        LOOKS,
        method("Watch", ".test.Inner", ".test.Inner", streams=True),
        method("Bound", ".test.Inner", ".test.Inner", HttpRule(get="/bound")),
    ),
)
SPECS = read(["test.proto"], POOL, {}).specs
INNER = SPECS[0].request_class


def asked(
    *headers: tuple[str, str],
    body: bytes | str = "{}",
    method: str = "POST",
    path: str = DO,
    **script: Any,
) -> tuple[Answer, ScriptedDoor]:
    """Ask once; return the answer and the door."""
    door = ScriptedDoor(SPECS, **script)
    return ask(Gateway(door, pool=POOL), method, path, headers, body), door


def test_an_answer_in_json_leaves_unset_fields_out() -> None:
    answer, door = asked(JSON, V1, body='{"text":"a"}', messages=[INNER(number=1, inners=[{}])])
    assert (answer.status, answer.json) == (200, {"number": 1, "inners": [{}]})
    assert answer.header("Content-Type") == ["application/json"]
    assert door.asked[0].request == INNER(text="a")


def test_without_the_version_the_same_request_is_the_gateways() -> None:
    answer, _ = asked(JSON, messages=[INNER(number=1)])
    assert answer.json == {"text": "", "number": 1, "inner": None, "inners": []}


def test_the_wire_format_is_answered_in_it() -> None:
    sent = INNER(text="a")
    answer, door = asked(PROTO, body=sent.SerializeToString(), messages=[INNER(number=1)])
    assert answer.header("Content-Type") == ["application/proto"]
    assert INNER.FromString(answer.body) == INNER(number=1)
    assert door.asked[0].request == sent
    assert asked(PROTO, body=b"")[0].status == 200


def test_an_error_has_its_code_by_name_and_its_details() -> None:
    error = NotFound("agent", "a1", "no agent has the id a1")
    for kind in (JSON, PROTO):
        answer, _ = asked(kind, V1, error=error, body=b"" if kind == PROTO else "{}")
        assert answer.status == 404
        assert answer.header("Content-Type") == ["application/json"]
        assert (answer.json["code"], answer.json["message"]) == ("not_found", error.message)
        info = answer.json["details"][0]
        assert info["type"] == "google.rpc.ErrorInfo"
        assert not info["value"].endswith("=")
        assert info["debug"] == {"reason": "AGENT_NOT_FOUND", "domain": "postroom"}


@pytest.mark.parametrize("body", ["", " ", "{} x", "[]", "{", '{"number":"x"}', b"\xff"])
def test_a_body_that_is_no_message_is_an_invalid_argument(body: str | bytes) -> None:
    answer, door = asked(JSON, V1, body=body)
    assert (answer.status, answer.json["code"], door.asked) == (400, "invalid_argument", [])


def test_bytes_that_are_no_message_are_an_invalid_argument() -> None:
    answer, _ = asked(PROTO, body=b"\xff")
    assert (answer.status, answer.json["code"]) == (400, "invalid_argument")


@pytest.mark.parametrize(
    ("headers", "path", "http", "code"),
    [
        ((JSON, ("Connect-Protocol-Version", "2")), DO, 400, "invalid_argument"),
        ((V1, ("Content-Type", "text/plain")), DO, 415, "unimplemented"),
        ((V1,), DO, 415, "unimplemented"),
        ((("Content-Type", "application/connect+json"),), WATCH, 415, "unimplemented"),
        ((JSON, V1), WATCH, 415, "unimplemented"),
        ((JSON, V1), "/test.Service/Nope", 404, "unimplemented"),
        ((JSON, V1, ("Content-Encoding", "gzip")), DO, 501, "unimplemented"),
        ((JSON, V1, ("Connect-Timeout-Ms", "5s")), DO, 400, "invalid_argument"),
        ((JSON, V1, ("Connect-Timeout-Ms", "0")), DO, 504, "deadline_exceeded"),
    ],
)
def test_what_is_not_served_is_told(
    headers: tuple[tuple[str, str], ...], path: str, http: int, code: str
) -> None:
    answer, door = asked(*headers, path=path)
    assert (answer.status, answer.json["code"], door.asked) == (http, code, [])
    accepted = ["application/json, application/proto"] if http == 415 else []
    assert answer.header("Accept-Post") == accepted


def test_a_charset_is_tolerated() -> None:
    kind = ("Content-Type", "Application/JSON; charset=UTF-8")
    assert asked(kind, V1)[0].status == 200


@pytest.mark.parametrize(("path", "allowed"), [(DO, "POST"), (LOOK, "GET, POST")])
def test_other_http_methods_are_not_allowed(path: str, allowed: str) -> None:
    answer, _ = asked(V1, method="PUT", path=path)
    assert (answer.status, answer.header("Allow")) == (405, [allowed])


@pytest.mark.parametrize(
    "query",
    [
        "encoding=json&connect=v1&message=%7B%22text%22%3A%22%C3%A9%22%7D",
        "encoding=json&connect=v1&base64=1&message=eyJ0ZXh0Ijoiw6kifQ",
        "encoding=json&connect=v1&base64=1&message=eyJ0ZXh0Ijoiw6kifQ%3D%3D",
        "encoding=proto&connect=v1&base64=1&message=CgLDqQ",
    ],
)
def test_a_method_without_side_effects_can_be_asked_by_get(query: str) -> None:
    answer, door = asked(method="GET", path=f"{LOOK}?{query}", body="")
    assert answer.status == 200, answer.body
    assert door.asked[0].request == INNER(text="é")


@pytest.mark.parametrize(
    ("query", "http"),
    [
        ("encoding=xml&message={}", 415),
        ("encoding=json", 400),
        ("encoding=json&message=!!&base64=1", 400),
        ("encoding=json&message=%ff", 400),
        ("encoding=json&message={}&compression=gzip", 501),
    ],
)
def test_a_get_that_cannot_be_read_is_refused(query: str, http: int) -> None:
    answer, door = asked(method="GET", path=f"{LOOK}?connect=v1&{query}", body="")
    assert (answer.status, door.asked) == (http, [])


def test_a_get_with_side_effects_is_not_allowed() -> None:
    answer, _ = asked(method="GET", path=f"{DO}?connect=v1&encoding=json&message=%7B%7D", body="")
    assert answer.status == 405


def test_a_get_of_a_bound_path_stays_the_gateways() -> None:
    answer, _ = asked(V1, method="GET", path="/bound?connect=v1", body="")
    assert answer.json["inner"] is None


def test_headers_are_metadata_and_metadata_is_headers() -> None:
    given = [("Authorization", "Bearer t"), ("X-A-Bin", "/wA"), ("Te", "trailers")]
    beside: dict[str, Any] = {
        "headers": [("x-h", "1"), ("content-type", "x")],
        "trailers": [("x-t", b"\xff")],
    }
    answer, door = asked(JSON, V1, *given, **beside)
    metadata = dict(door.asked[0].incoming.metadata)
    assert metadata == {"authorization": "Bearer t", "x-a-bin": b"\xff\x00"}
    assert (answer.header("X-H"), answer.header("Trailer-X-T")) == (["1"], ["/w=="])


def test_a_timeout_in_milliseconds_reaches_the_door() -> None:
    _, door = asked(JSON, V1, ("Connect-Timeout-Ms", "5000"))
    assert door.asked[0].incoming.time_left == 5


def test_dropped_fields_are_named_here_too() -> None:
    answer, _ = asked(JSON, V1, body='{"zz":1}')
    assert answer.header("Postroom-Ignored-Fields") == ["zz"]


@pytest.mark.parametrize("kind", ["application/grpc", "application/grpc-web+proto"])
def test_grpc_itself_is_sent_to_its_own_port(kind: str) -> None:
    answer, _ = asked(("Content-Type", kind))
    assert (answer.status, answer.json["code"]) == (415, 12)
