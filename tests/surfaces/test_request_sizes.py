"""How large a request may be: as its method says, on each way in."""

import asyncio
from dataclasses import replace
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from postroom.surfaces.gateway import Gateway
from postroom.surfaces.lingering import lingering
from postroom.surfaces.wire import Wire
from tests.room import CONTRACT
from tests.surfaces.gateway.doors import ScriptedDoor
from tests.surfaces.gateway.http import ask, scope_of

SMALL = next(spec for spec in CONTRACT.specs if spec.name == "ListMail")
LARGE = replace(next(s for s in CONTRACT.specs if s.name == "SendMail"), max_request_bytes=8 << 20)
DOOR = [SMALL, LARGE]
JSON = [("Content-Type", "application/json")]
MOST = {SMALL.name: 4 << 20, LARGE.name: 8 << 20}


def _asked(path: str, size: int) -> Any:
    """The status of a gRPC call with a request of so many bytes."""

    async def run() -> Any:
        wire = Wire(ScriptedDoor(DOOR))
        port = wire.bind("127.0.0.1:0")
        await wire.start()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            # An unknown field of as many bytes as are missing: tag, length, and what is in it.
            head = b"\xfa\x7f" + _varint(size - 6)
            request: Any = head + b"\0" * (size - len(head))
            try:
                await channel.unary_unary(path)(request)
            except grpc.aio.AioRpcError as error:
                return error
            finally:
                await wire.stop(0)
        return None

    return asyncio.run(run())


def _varint(number: int) -> bytes:
    """A varint of four bytes."""
    sevens = [number >> shift & 0x7F for shift in (0, 7, 14, 21)]
    return bytes([*(seven | 0x80 for seven in sevens[:3]), sevens[3]])


@pytest.mark.parametrize("spec", DOOR, ids=lambda spec: spec.name)
def test_grpc_takes_as_much_as_the_method_and_refuses_more_in_words(spec: Any) -> None:
    most = MOST[spec.name]
    assert _asked(f"/{spec.full_name}", most) is None
    refused = _asked(f"/{spec.full_name}", most + 1)
    assert refused.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_grpc_says_how_much_a_method_takes() -> None:
    refused = _asked(f"/{SMALL.full_name}", (4 << 20) + 1)
    info = error_details_pb2.ErrorInfo()
    rpc_status.from_call(refused).details[0].Unpack(info)
    assert (info.reason, info.metadata["limit"]) == ("REQUEST_TOO_LARGE", str(4 << 20))
    assert "4,194,304" in refused.details()


def test_a_body_that_is_too_large_is_refused_with_the_reason_and_the_limit() -> None:
    told: list[Any] = []
    app = Gateway(ScriptedDoor(DOOR), turned_away=lambda *facts: told.append(facts[:3]))
    path, body = f"/{SMALL.full_name}", " " * ((4 << 20) + 1)
    answer = ask(app, "POST", path, JSON, body)
    (info,) = answer.json["details"]
    assert info["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
    assert (info["reason"], info["domain"]) == ("REQUEST_TOO_LARGE", "postroom")
    assert info["metadata"] == {"limit": str(4 << 20)}
    assert "4,194,304" in answer.json["message"]
    connect = ask(app, "POST", path, [*JSON, ("Connect-Protocol-Version", "1")], body)
    assert connect.status == 413
    assert connect.json["details"][0]["debug"]["reason"] == "REQUEST_TOO_LARGE"
    assert told == [(one, 8, "REQUEST_TOO_LARGE") for one in ("json", "connect")]


@pytest.mark.parametrize(
    ("headers", "left"),
    [([], 0), ([("Content-Length", "9")], 0), ([("Expect", "100-continue")], 3)],
)
def test_the_rest_of_a_body_that_is_refused_is_taken_after_the_answer(
    headers: Any, left: int
) -> None:
    waiting = [b"{}}", b"}", b"}", b"}"]
    told: list[Any] = []

    async def receive() -> Any:
        told.append("taken")
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    async def send(message: Any) -> None:
        told.append(message.get("status") or message["body"][:1] or "end")

    scope = scope_of("POST", f"/{SMALL.full_name}", [*JSON, *headers])
    asyncio.run(Gateway(ScriptedDoor(DOOR), max_body=2)(scope, receive, send))
    assert len(waiting) == left
    answer = [413, b"{", *["taken"] * (len(told) - told.index(413) - 3), "end"]
    assert told[told.index(413) :] == (answer if not left else [413, b"{"])


def test_of_a_body_that_is_refused_so_much_is_taken_and_no_more() -> None:
    sizes: list[int] = []

    async def receive() -> Any:
        sizes.append(10)
        return {"type": "http.request", "body": b"0123456789", "more_body": True}

    async def send(message: Any) -> None:
        assert message

    async def answer() -> None:
        sending = lingering(scope_of("POST", "/"), receive, send, most=35)
        await sending({"type": "http.response.start", "status": 413, "headers": []})
        await sending({"type": "http.response.body", "body": b"no"})

    asyncio.run(answer())
    assert len(sizes) == 4


def test_who_sends_nothing_more_of_a_body_that_is_refused_is_not_waited_for() -> None:
    told: list[Any] = []

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        told.append(message.get("more_body", False))

    async def answer() -> None:
        sending = lingering(scope_of("POST", "/"), receive, send, idle=0.001)
        await sending({"type": "http.response.body", "body": b"no"})

    asyncio.run(answer())
    assert told == [True, False]


@pytest.mark.parametrize("spec", DOOR, ids=lambda spec: spec.name)
@pytest.mark.parametrize("headers", [(), (("Connect-Protocol-Version", "1"),)])
def test_a_body_may_be_as_large_as_the_method_takes(spec: Any, headers: Any) -> None:
    door = ScriptedDoor(DOOR)
    sent = [*JSON, *headers]
    for size, status in ((MOST[spec.name], 200), (MOST[spec.name] + 1, 413)):
        body = "{}" + " " * (size - 2)
        answer = ask(Gateway(door), "POST", f"/{spec.full_name}", sent, body)
        assert answer.status == status, answer.body
    assert len(door.asked) == 1


def test_the_service_with_attachments_takes_32_mebibytes_where_it_needs_them() -> None:
    large = {spec.name for spec in CONTRACT.specs if spec.max_request_bytes == 32 << 20}
    assert large == {"SendMessage", "ReplyMessage"}
    assert {spec.max_request_bytes for spec in CONTRACT.specs} == {4 << 20, 32 << 20}
