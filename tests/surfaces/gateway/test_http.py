"""What lies around the JSON: sizes, headers, deadlines, errors, the server's protocol."""

import asyncio
import base64
from typing import Any

import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from postroom.errors import CallerUnknown, Code, NotFound, Refusal, Violation, invalid
from postroom.surfaces.gateway import Gateway, Guard, Rules
from postroom.surfaces.gateway.asgi import Message, Receive, Scope, Send
from postroom.surfaces.gateway.failure import Failure
from tests.surfaces.gateway.http import HOST, Answer, ask, exchange, scope_of
from tests.surfaces.gateway.kinds import POOL, door, everything, sent


def refused(error: BaseException) -> Answer:
    """Ask a door that raises this."""
    return ask(Gateway(door(error=error)), "POST", "/star")


def metadata(*headers: tuple[str, str]) -> dict[str, list[str | bytes]]:
    """Return what reaches the door for these headers."""
    behind = door()
    assert ask(Gateway(behind), "POST", "/star", headers).status == 200
    found: dict[str, list[str | bytes]] = {}
    for key, value in behind.asked[0].incoming.metadata:
        found.setdefault(key, []).append(value)
    return found


def time_left(timeout: str) -> float | None:
    """Return the seconds that reach the door for a Grpc-Timeout."""
    behind = door()
    assert ask(Gateway(behind), "POST", "/star", [("Grpc-Timeout", timeout)]).status == 200
    return behind.asked[0].incoming.time_left


@pytest.mark.parametrize("dialect", [(), (("Connect-Protocol-Version", "1"),)])
def test_the_session_that_a_client_names_reaches_the_door(dialect: Any) -> None:
    behind = door()
    path = f"/{behind.specs[0].full_name}"
    headers = [("Content-Type", "application/json"), ("Postroom-Session", "s" * 40), *dialect]
    for given in (headers, [headers[0], *dialect]):
        ask(Gateway(behind), "POST", path if dialect else "/star", given, body="{}")
    assert [one.incoming.session for one in behind.asked] == ["s" * 40, ""]


def test_a_body_above_the_limit_is_refused_by_its_length() -> None:
    behind = door()
    answer = ask(Gateway(behind, max_body=10), "POST", "/star", body='{"i32":1234}')
    assert (answer.status, answer.json["code"], behind.asked) == (413, 8, [])
    assert answer.header("Connection") == ["close"]


def test_a_body_above_the_limit_is_refused_while_it_is_read() -> None:
    app = Gateway(door(), max_body=10)
    scope = scope_of("POST", "/star")
    answer = asyncio.run(exchange(app, scope, [b'{"i32":', b"1234", b"}" * 100]))
    assert (answer.status, answer.json["code"]) == (413, 8)


def test_a_body_at_the_limit_is_read_in_parts() -> None:
    behind = door()
    chunks = [b'{"i3', b'2":7', b"7}"]
    asyncio.run(exchange(Gateway(behind, max_body=10), scope_of("POST", "/star"), chunks))
    assert behind.asked[0].request == everything(i32=77)


def test_a_client_that_leaves_within_its_body_is_not_answered() -> None:
    behind = door()
    told = iter([{"type": "http.request", "body": b"{", "more_body": True}])

    async def receive() -> Message:
        return next(told, {"type": "http.disconnect"})

    async def send(_: Message) -> None:
        raise AssertionError

    asyncio.run(Gateway(behind)(scope_of("POST", "/star"), receive, send))
    assert behind.asked == []


def test_dropped_fields_are_named_in_a_header() -> None:
    answer, request = sent("POST", "/star", '{"replyTO":1,"inner":{"a,b\\r\\né":2},"text":"x"}')
    assert request == everything(text="x", inner={})
    assert answer.header("Postroom-Ignored-Fields") == ["replyTO,inner.a%2Cb%0D%0A%C3%A9"]


def test_the_header_of_dropped_fields_is_bounded() -> None:
    answer, _ = sent("POST", "/star", "{" + ",".join(f'"{"k" * 90}{i}":1' for i in range(99)) + "}")
    (told,) = answer.header("Postroom-Ignored-Fields")
    assert told.endswith(",...")
    assert len(told) < 1100


def test_strict_json_refuses_what_it_would_drop() -> None:
    behind = door()
    answer = ask(Gateway(behind, strict_json=True), "POST", "/star", body='{"replyTO":"m1"}')
    assert (answer.status, answer.json["code"], behind.asked) == (400, 3, [])
    assert "replyTO" in answer.json["message"]


def test_named_headers_become_metadata_of_their_name() -> None:
    given = [("Postroom-Agent-Id", "a1"), ("Idempotency-Key", "k"), ("X-Other", "no")]
    found = metadata(*given)
    assert (found["postroom-agent-id"], found["idempotency-key"]) == (["a1"], ["k"])
    assert "x-other" not in found
    behind = door()
    ask(Gateway(behind, forwarded_headers=frozenset({"x-other"})), "POST", "/star", given)
    keys = {key for key, _ in behind.asked[0].incoming.metadata}
    assert keys == {"x-other", "x-forwarded-for", "x-forwarded-host"}


@pytest.mark.parametrize(
    "name",
    ["", "Connection", "TE", "Content-Type", "User-Agent", "Host", "Grpc-Status", ":path", "a b"],
)
def test_names_of_the_transport_are_not_passed_on(name: str) -> None:
    found = metadata((f"Grpc-Metadata-{name}", "x"))
    assert set(found) == {"x-forwarded-for", "x-forwarded-host"}


def test_values_that_no_metadata_can_hold_are_dropped() -> None:
    assert "x" not in metadata(("Grpc-Metadata-X", "caf\xe9"))


@pytest.mark.parametrize("value", ["!", "QQ,QQ", "QQ=Q", "-_8="])
def test_bad_binary_metadata_is_refused(value: str) -> None:
    answer, request = sent("POST", "/star", "", Grpc_Metadata_X_Bin=value)
    assert (answer.status, answer.json["code"], request) == (400, 3, None)
    assert answer.json["message"].startswith("invalid binary header Grpc-Metadata-X-Bin: ")


@pytest.mark.parametrize(
    ("timeout", "seconds"),
    [("2H", 7200), ("3M", 180), ("5S", 5), ("+5000m", 5), ("7000000u", 7), ("8000000000n", 8)],
)
def test_a_timeout_has_a_unit(timeout: str, seconds: float) -> None:
    assert time_left(timeout) == pytest.approx(seconds)


def test_a_timeout_of_zero_is_none() -> None:
    assert time_left("0S") is None
    assert time_left("") is None


@pytest.mark.parametrize("timeout", ["S", "5", "5s", "5 S", "1.5S", "٣S", "9" * 30 + "S"])
def test_a_timeout_that_is_none_is_refused(timeout: str) -> None:
    scope = scope_of("POST", "/star")
    scope["headers"].append((b"grpc-timeout", timeout.encode()))
    answer = asyncio.run(exchange(Gateway(door()), scope, []))
    assert (answer.status, answer.json["code"]) == (400, 3)
    assert answer.json["message"].startswith("invalid grpc-timeout: ")


def test_metadata_of_the_answer_becomes_headers() -> None:
    given = [("x-a", "1"), ("x-a", "2"), ("x-b-bin", b"\xff\x00"), ("x-c", "a\r\nb: c")]
    more = [("content-type", "application/grpc"), ("grpc-status", "0"), ("x-d", "\u20ac")]
    answer = ask(Gateway(door(headers=[*given, *more])), "POST", "/star")
    beside = [(k, v) for k, v in answer.headers if not k.startswith("content-")]
    assert beside == [
        ("grpc-metadata-x-a", "1"),
        ("grpc-metadata-x-a", "2"),
        ("grpc-metadata-x-b-bin", base64.b64encode(b"\xff\x00").decode()),
    ]


def test_a_refusal_is_a_status_with_its_details() -> None:
    answer = refused(invalid("to", "is required; give it a value"))
    assert (answer.status, answer.json["code"]) == (400, 3)
    info, request = answer.json["details"]
    assert info["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
    assert (info["reason"], info["domain"], info["metadata"]) == ("INVALID_FIELD", "postroom", {})
    assert request["fieldViolations"][0]["field"] == "to"


def test_a_refusal_with_every_detail_is_printed() -> None:
    error = Refusal("m", Code.UNAVAILABLE, "R", {"k": "v"}, (Violation("f", "d"),), retry_after=1.5)
    answer = refused(error)
    assert answer.status == 503
    assert answer.json["details"][2]["retryDelay"] == "1.500s"


def test_an_unexpected_error_tells_nothing_but_its_number() -> None:
    answer = refused(RuntimeError("secret"))
    assert (answer.status, answer.json["code"]) == (500, 13)
    assert "secret" not in answer.body.decode()


def test_an_answer_that_cannot_be_printed_is_an_internal_error() -> None:
    answer = ask(Gateway(door(everything(any_value={}))), "POST", "/star")
    assert (answer.status, answer.json["code"]) == (500, 13)


def test_a_detail_that_nobody_knows_is_dropped_alone() -> None:
    status = Status(code=5, message="gone")
    status.details.add(type_url="ex/nope.Type")
    status.details.add().Pack(ErrorInfo(reason="KEPT"))
    answer = refused(Failure(status))
    assert answer.status == 404
    assert [detail["reason"] for detail in answer.json["details"]] == ["KEPT"]


@pytest.mark.parametrize(
    ("message", "header"),
    [("who\x00 are\x7fyou", ["who  are you"]), ("w\u00e9r", ["w\u00e9r"]), ("\u20ac", [])],
)
def test_a_challenge_holds_only_what_a_header_can(message: str, header: list[str]) -> None:
    answer = refused(Failure(Status(code=16, message=message)))
    assert answer.status == 401
    assert answer.header("WWW-Authenticate") == header
    assert answer.json["message"] == message


@pytest.mark.parametrize("path", ["/star", "/watch"])
def test_a_caller_who_proves_nothing_is_told_the_scheme(path: str) -> None:
    method = "POST" if path == "/star" else "GET"
    answer = ask(Gateway(door(error=CallerUnknown("who are you?"))), method, path)
    assert answer.status == 401
    assert answer.header("WWW-Authenticate") == ["Bearer"]


def test_connect_names_the_scheme_too() -> None:
    headers = [("Content-Type", "application/json"), ("Connect-Protocol-Version", "1")]
    behind = door(error=CallerUnknown("who are you?"))
    path = f"/{behind.specs[0].full_name}"
    answer = ask(Gateway(behind), "POST", path, headers, "{}")
    assert (answer.status, answer.header("WWW-Authenticate")) == (401, ["Bearer"])


def test_head_gets_the_headers_of_the_answer_alone() -> None:
    answer = ask(Gateway(door(error=NotFound("agent", "a", "m"))), "HEAD", "/q")
    assert (answer.status, answer.body) == (501, b"")
    assert int(answer.header("Content-Length")[0]) > 0


def test_a_server_without_raw_paths_is_served() -> None:
    behind = door()
    scope = scope_of("GET", "/q/a%20b")
    del scope["raw_path"]
    asyncio.run(exchange(Gateway(behind), scope, []))
    assert behind.asked[0].request == everything(text="a b")


def test_a_unix_socket_has_no_peer_to_pass_on() -> None:
    behind = door()
    ask(Gateway(behind), "POST", "/star", client=None)
    assert "x-forwarded-for" not in dict(behind.asked[0].incoming.metadata)


def test_the_life_of_the_server_is_acknowledged() -> None:
    told = iter(["lifespan.startup", "lifespan.shutdown"])
    heard = []

    async def receive() -> Message:
        return {"type": next(told)}

    async def send(message: Message) -> None:
        heard.append(message["type"])

    asyncio.run(Gateway(door())({"type": "lifespan"}, receive, send))
    assert heard == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def test_a_call_that_is_over_at_once_does_not_wait_for_the_client() -> None:
    told = iter([{"type": "http.request", "body": b""}])
    sent: list[Message] = []

    async def receive() -> Message:
        return next(told)

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(Gateway(door())(scope_of("POST", "/star"), receive, send))
    assert sent[0]["status"] == 200


def test_headers_that_are_changed_on_the_way_are_read_anew() -> None:
    behind = door()

    async def changed(scope: Scope, receive: Receive, send: Send) -> None:
        scope["headers"] = [*scope["headers"], (b"postroom-agent-id", b"a1")]
        await Gateway(behind)(scope, receive, send)

    assert ask(Guard(changed, Rules(hosts=frozenset({HOST}))), "POST", "/star").status == 200
    assert dict(behind.asked[0].incoming.metadata)["postroom-agent-id"] == "a1"


def test_what_is_not_http_is_not_served() -> None:
    scope: Scope = {"type": "websocket"}

    async def never(*_: Message) -> Message:
        raise AssertionError

    with pytest.raises(ValueError, match="websocket"):
        asyncio.run(Gateway(door(), pool=POOL)(scope, never, never))  # type: ignore[arg-type]
