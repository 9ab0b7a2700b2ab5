"""Requests that no honest client makes: each is refused clearly, and none does harm."""

import socket
from typing import Any

import grpc
import pytest

from agent.v1.agent_service_pb2 import SendMailRequest
from tests.acceptance.doors import (
    SERVICE,
    GrpcDoor,
    JsonDoor,
    Refused,
    message,
    raw_call,
    refusal,
    refusal_in,
)
from tests.acceptance.server import Server

MEBIBYTE = 1024 * 1024
SEND = f"/{SERVICE}/SendMail"
BAD_TEXTS = {
    "not UTF-8": b"\xff\xfe",
    "overlong": b"\xc0\xaf",
    "a surrogate": b"\xed\xa0\x80",
    "cut short": b"\xe2\x82",
    "NUL": b"a\x00b",
}
BAD_JSON = {
    "not UTF-8": b'{"to":"bravo","body":"\xff"}',
    "overlong": b'{"to":"bravo","body":"\xc0\xaf"}',
    "half a pair": b'{"to":"bravo","body":"\\ud800"}',
    "the other half": b'{"to":"bravo","body":"\\udc00 x"}',
    "NUL": b'{"to":"bravo","body":"a\\u0000b"}',
    "not JSON": b"\xff\xfe",
}


@pytest.fixture
def wire(kept: Server) -> grpc.Channel:
    """A raw gRPC channel."""
    door = kept.door("grpc")
    assert isinstance(door, GrpcDoor)
    return door.channel


@pytest.fixture
def web(kept: Server) -> JsonDoor:
    """A raw HTTP connection."""
    door = kept.door("json")
    assert isinstance(door, JsonDoor)
    return door


@pytest.fixture(autouse=True)
def unharmed(kept: Server) -> Any:
    """Whatever was asked, the server serves on, and nothing was stored."""
    yield
    assert kept.is_alive()
    assert not kept.door("grpc").call("ListMail", direction=2).mail


def _send_bytes(text: bytes) -> bytes:
    """A SendMailRequest whose body is not checked by a client's library."""
    to = SendMailRequest(to="bravo").SerializeToString()
    return to + b"\x12" + bytes([len(text)]) + text


def _refused_on_wire(channel: grpc.Channel, path: str, request: bytes, **more: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        raw_call(channel, path, request, **more)
    return caught.value


def test_p38_a_message_over_four_mebibytes_is_refused_on_grpc(wire: grpc.Channel) -> None:
    request = message("SendMail", to="bravo", body="x" * 5 * MEBIBYTE).SerializeToString()
    assert _refused_on_wire(wire, SEND, request).code == "RESOURCE_EXHAUSTED"


def test_p38_a_body_over_the_limit_is_refused_on_json(web: JsonDoor) -> None:
    body = b'{"to":"bravo","body":"' + b"x" * 5 * MEBIBYTE + b'"}'
    reply = web.post(SEND, body, {})
    assert (reply.status, reply.json["code"]) == (413, 8)
    refused = refusal_in(reply)
    assert (refused.code, refused.reason) == ("RESOURCE_EXHAUSTED", "REQUEST_TOO_LARGE")


@pytest.mark.parametrize("path", [SEND, "/mcp"])
def test_p38_a_client_that_only_writes_reads_the_refusal_after_that(
    kept: Server, path: str
) -> None:
    host, _, port = kept.http.rpartition(":")
    size = 40 * MEBIBYTE
    head = f"POST {path} HTTP/1.1\r\nHost: {kept.http}\r\nContent-Type: application/json\r\n"
    with socket.create_connection((host, int(port)), 30) as connection:
        connection.sendall(f"{head}Content-Length: {size}\r\n\r\n".encode())
        connection.sendall(b" " * size)
        with connection.makefile("rb") as answer:
            told = answer.read()
    assert told.startswith(b"HTTP/1.1 413 ")
    assert b'"reason":"REQUEST_TOO_LARGE"' in told.replace(b": ", b":")


@pytest.mark.parametrize("kind", ["grpc", "json"])
def test_p38_a_text_of_more_than_ten_thousand_characters_is_refused(
    kept: Server, kind: str
) -> None:
    with pytest.raises(Refused) as caught:
        kept.door(kind).call("SendMail", to="bravo", body="ö" * 10_001)
    assert caught.value.code == "INVALID_ARGUMENT"
    assert "body" in caught.value.message


@pytest.mark.parametrize("name", BAD_TEXTS)
def test_p40_c47_bad_text_is_refused_on_grpc(wire: grpc.Channel, name: str) -> None:
    refused = _refused_on_wire(wire, SEND, _send_bytes(BAD_TEXTS[name]))
    assert refused.code == "INVALID_ARGUMENT"
    assert refused.reason


@pytest.mark.parametrize("name", BAD_JSON)
def test_p40_c47_bad_text_is_refused_on_json(web: JsonDoor, name: str) -> None:
    reply = web.post(SEND, BAD_JSON[name], {})
    assert (reply.status, reply.json["code"]) == (400, 3)
    assert refusal_in(reply).code == "INVALID_ARGUMENT"


@pytest.mark.parametrize("request_bytes", [b"\xff\xfe", b"\x0a\xff", b"\x0b", b"\x00" * 9])
def test_c47_bytes_that_are_no_message_are_refused(
    wire: grpc.Channel, request_bytes: bytes
) -> None:
    assert _refused_on_wire(wire, SEND, request_bytes).code == "INVALID_ARGUMENT"


@pytest.mark.parametrize("path", [f"/{SERVICE}/Shred", "/agent.v1.Nobody/SendMail", "/x", "//"])
def test_p41_an_unknown_method_or_service_is_unimplemented(wire: grpc.Channel, path: str) -> None:
    assert _refused_on_wire(wire, path, b"").code == "UNIMPLEMENTED"


@pytest.mark.parametrize("path", [f"/{SERVICE}/Shred", "/agent.v1.Nobody/SendMail", "/x", "//"])
def test_p41_an_unknown_route_is_not_found_on_json(web: JsonDoor, path: str) -> None:
    reply = web.post(path, b"{}", {})
    assert (reply.status, reply.json["code"]) in ((404, 5), (501, 12))
    assert refusal_in(reply).code in ("NOT_FOUND", "UNIMPLEMENTED")


def test_p41_a_stream_to_a_method_without_streams_is_answered_or_refused(
    wire: grpc.Channel,
) -> None:
    method: Any = wire.stream_stream(f"/{SERVICE}/ListMail")
    try:
        outcome = [*method(iter([b"", b""]), timeout=10)]
    except grpc.RpcError as error:
        outcome = [refusal(error).code]
    assert outcome in ([b""], ["INTERNAL"], ["UNIMPLEMENTED"])


def test_p42_metadata_of_many_kibibytes_is_refused_on_grpc(wire: grpc.Channel) -> None:
    refused = _refused_on_wire(wire, SEND, b"", metadata=(("x-big", "x" * 20_000),))
    assert refused.code == "RESOURCE_EXHAUSTED"


def test_p42_small_metadata_passes_on_grpc(wire: grpc.Channel) -> None:
    request = message("ListMail").SerializeToString()
    assert raw_call(wire, f"/{SERVICE}/ListMail", request, metadata=(("x-own", "x" * 4000),)) == b""


@pytest.mark.parametrize("kibibytes", [20, 200, 2000])
def test_p42_headers_of_many_kibibytes_are_refused_on_json(web: JsonDoor, kibibytes: int) -> None:
    reply = web.post(f"/{SERVICE}/ListMail", b"{}", {"X-Big": "x" * 1024 * kibibytes})
    assert (reply.status, reply.json["code"]) == (431, 8)
    assert refusal_in(reply).reason == "HEADERS_TOO_LARGE"


def test_p42_small_headers_pass_on_json(web: JsonDoor) -> None:
    assert web.post(f"/{SERVICE}/ListMail", b"{}", {"X-Own": "x" * 12_000}).status == 200


def test_p42_a_head_without_end_is_cut_off(kept: Server) -> None:
    host, _, port = kept.http.rpartition(":")
    with socket.create_connection((host, int(port)), 10) as connection:
        connection.sendall(f"GET / HTTP/1.1\r\nHost: {kept.http}\r\nX-Big: ".encode())
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            connection.sendall(b"x" * 20_000_000)
