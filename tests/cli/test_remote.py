"""The door of `postroom mcp` to a running server."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from postroom.cli.environment import Client
from postroom.cli.remote import RemoteDoor, patience
from postroom.errors import Code, Refusal
from postroom.rpc.door import Door, Incoming, Outgoing
from postroom.storage import open_store
from postroom.surfaces.gateway import Gateway
from tests.doubles import CountingIds, ManualClock
from tests.room import CONTRACT, Room, refused

from .scripted import Scripted

SPECS = {spec.name: spec for spec in CONTRACT.specs}
URL = "http://127.0.0.1:8787"


@pytest.fixture
def own_room(tmp_path: Path) -> Iterator[Room]:
    clock = ManualClock()
    store = open_store(f"sqlite:///{tmp_path / 'mail.db'}", clock)
    room = Room(store, clock, CountingIds())
    yield room
    room.close()
    store.close()


def call(door: Door, method: str, agent: str = "", **fields: Any) -> Any:
    spec = SPECS[method]
    incoming = Incoming((("postroom-agent-id", agent),) if agent else ())
    return door.call(spec, spec.request_class(**fields), incoming, Outgoing())


def through(room: Room, method: str, agent: str = "", **fields: Any) -> Any:
    """A call over the JSON routes, without a socket."""

    async def ask() -> Any:
        transport = httpx2.ASGITransport(Gateway(room.registry))  # type: ignore[arg-type,unused-ignore]
        async with RemoteDoor(CONTRACT.specs, Client(URL), transport) as door:
            return await call(door, method, agent, **fields)

    return asyncio.run(ask())


def test_the_session_goes_along(own_room: Room) -> None:
    seen: list[str] = []

    async def note(scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        seen.append(headers.get(b"postroom-session", b"").decode())
        await Gateway(own_room.registry)(scope, receive, send)

    async def ask() -> None:
        transport = httpx2.ASGITransport(note)  # type: ignore[arg-type,unused-ignore]
        async with RemoteDoor(CONTRACT.specs, Client(URL), transport) as door:
            spec = SPECS["ListAgents"]
            for session in ("s" * 40, ""):
                incoming = Incoming(session=session)
                await door.call(spec, spec.request_class(), incoming, Outgoing())

    asyncio.run(ask())
    assert seen == ["s" * 40, ""]


def test_a_request_that_is_too_large_is_not_sent(own_room: Room) -> None:
    told = refused(lambda: through(own_room, "SendMail", to="x", body="x" * (5 << 20)))
    assert (told.code, told.reason) == (Code.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE")


def against(server: Scripted, method: str = "ListAgents", **fields: Any) -> Any:
    async def ask() -> Any:
        async with RemoteDoor(CONTRACT.specs, Client(server.url)) as door:
            return await call(door, method, "agt_1", **fields)

    return asyncio.run(ask())


def test_a_call_answers_what_the_server_answers(own_room: Room) -> None:
    alfa = own_room.agent("alfa")
    sent = through(own_room, "SendMail", to="alfa", body="a\u2028 <b> \U0001f642").mail
    (listed,) = through(own_room, "ListMail", alfa.id).mail
    assert listed == sent == own_room.received(alfa.id)[0]
    assert listed.from_agent_id == "operator"
    assert not listed.HasField("reply_to")


@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("SendMail", {"to": "twin", "body": "b"}),
        ("SendMail", {"to": "nobody", "body": "b"}),
        ("SendMail", {}),
        ("GetAgent", {"id": "agt_none"}),
        ("CreateAgent", {"name": "twin", "workflow": "one"}),
        ("SendMail", {"to": "full", "body": "b"}),
    ],
)
def test_a_refusal_is_the_same_as_without_a_server_between(
    own_room: Room, method: str, fields: Any
) -> None:
    room = own_room.limited(mailbox=1)
    for name, workflow in (("twin", "one"), ("twin", "two"), ("full", "one")):
        room.agent(name, workflow)
    room.send("", "full")
    here = refused(lambda: room.call(method, **fields))
    there = refused(lambda: through(room, method, **fields))
    room.close()
    for part in ("code", "reason", "message", "metadata", "violations", "resources", "quota"):
        assert getattr(there, part) == getattr(here, part)


def test_identity_and_deadline_go_along(server: Scripted) -> None:
    server.answer({"mail": []})
    against(server, "WaitForMail", timeout_seconds=100)
    (asked,) = server.asked
    headers = {name.lower(): text for name, text in asked.headers.items()}
    assert asked.path == "/agent.v1.AgentService/WaitForMail"
    assert asked.json == {"timeoutSeconds": 100}
    assert headers["postroom-agent-id"] == "agt_1"
    assert headers["grpc-timeout"] == "130000m"


def test_a_wait_is_given_its_time_on_top() -> None:
    wait = SPECS["WaitForMail"].request_class
    assert patience(SPECS["ListMail"].request_class()) == 30
    assert patience(wait(timeout_seconds=3600)) == 3630
    assert patience(wait()) > 50


def told(server: Scripted) -> Refusal:
    return refused(lambda: against(server))


def test_nobody_answers() -> None:
    refusal = told(Scripted(url="http://127.0.0.1:9"))
    assert (refusal.code, refusal.reason) == (Code.UNAVAILABLE, "SERVER_UNREACHABLE")
    assert "postroom serve" in refusal.message
    assert "POSTROOM_URL" in refusal.message


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"[]", b"{}", b'{"other": 1}', b'"x"', b"\xff", b'{"agents": [], "x"', b""],
)
def test_another_program_answers(server: Scripted, body: bytes) -> None:
    server.answer({})
    server.body = body
    refusal = told(server)
    assert (refusal.code, refusal.reason) == (Code.UNAVAILABLE, "NOT_POSTROOM")


@pytest.mark.parametrize(
    "value", [{}, {"code": "x"}, {"code": 99}, [], "x", {"code": 5, "details": 5}]
)
def test_another_program_refuses(server: Scripted, value: Any) -> None:
    server.answer(value, 404)
    assert told(server).reason == "NOT_POSTROOM"


def test_a_newer_server_may_say_more(server: Scripted) -> None:
    server.answer({"agents": [{"id": "agt_1", "new": 1}], "nextPageToken": "", "newer": 2})
    assert against(server).agents[0].id == "agt_1"


def test_a_refusal_without_details(server: Scripted) -> None:
    server.answer({"code": 14, "message": "busy", "details": []}, 503)
    refusal = told(server)
    assert (refusal.code, refusal.reason, refusal.message) == (14, "UNAVAILABLE", "busy")


def test_when_to_come_back_is_read(server: Scripted) -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.5s"}
    server.answer({"code": 8, "message": "wait", "details": [detail]}, 429)
    assert told(server).retry_after == 1.5


@pytest.mark.parametrize("error", [httpx2.ReadError("x"), httpx2.ReadTimeout("x")])
def test_an_answer_that_is_lost_leaves_it_open_what_was_done(error: Exception) -> None:
    def fail(_: httpx2.Request) -> httpx2.Response:
        raise error

    async def ask() -> Any:
        transport = httpx2.MockTransport(fail)
        async with RemoteDoor(CONTRACT.specs, Client(URL), transport) as door:
            return await call(door, "SendMail", to="a", body="b")

    refusal = refused(lambda: asyncio.run(ask()))
    assert refusal.reason == "ANSWER_LOST"
    assert "may have taken effect" in refusal.message
    assert "requestId" in refusal.message


def test_a_cancelled_call_lets_go_of_the_connection() -> None:
    gone: list[bool] = []

    async def never(request: httpx2.Request) -> httpx2.Response:
        del request
        try:
            await asyncio.Event().wait()
        finally:
            gone.append(True)
        raise AssertionError

    async def ask() -> None:
        async with RemoteDoor(CONTRACT.specs, Client(URL), httpx2.MockTransport(never)) as door:
            wait = asyncio.create_task(call(door, "WaitForMail"))
            await asyncio.wait({wait}, timeout=0)
            wait.cancel()
            await asyncio.gather(wait, return_exceptions=True)

    asyncio.run(ask())
    assert gone == [True]


def test_it_does_not_stream() -> None:
    async def ask() -> None:
        spec = SPECS["WatchMail"]
        async with RemoteDoor(CONTRACT.specs, Client(URL)) as door:
            door.stream(spec, spec.request_class(), Incoming(), Outgoing())

    refusal: Callable[[], Any] = lambda: asyncio.run(ask())  # noqa: E731 - of a type of its own
    assert refused(refusal).code == Code.UNIMPLEMENTED
    assert json.dumps(Code.UNIMPLEMENTED) == "12"
