"""Bodies at /mcp: bounded before they are parsed, and large ones read beside the loop."""

import asyncio
import json
import threading
from typing import Any

import httpx2
import pytest

from postroom.errors import Code
from postroom.rpc.contract import Spec
from postroom.rpc.methods import Registry
from postroom.surfaces.tools import Endpoint
from postroom.surfaces.tools.arguments import request_of
from tests.room import CONTRACT, Room

from .clients import URL
from .test_http import IMPORT, elsewhere

MEBIBYTE = 1024 * 1024
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
READ = "postroom.surfaces.tools.server.request_of"


def answered(door: Any, *bodies: bytes) -> tuple[list[httpx2.Response], list[Any]]:
    """The answers to these bodies, one after another, and what was turned away."""
    told: list[Any] = []

    async def run() -> list[httpx2.Response]:
        served = Endpoint(
            elsewhere, door, CONTRACT, turned_away=lambda *facts: told.append(facts[:3])
        )
        running = asyncio.create_task(served.run())
        transport = httpx2.ASGITransport(served)
        async with httpx2.AsyncClient(transport=transport, headers=ACCEPT) as http:
            answers = [await http.post(URL, content=body) for body in bodies]
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return answers

    return asyncio.run(run()), told


def called(name: str, **arguments: Any) -> bytes:
    """The body of a call of a tool."""
    params = {"name": name, "arguments": arguments}
    return json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    ).encode()


def test_a_body_that_is_too_large_is_refused_with_the_reason(registry: Registry) -> None:
    (answer,), told = answered(registry, b" " * (33 * MEBIBYTE))
    assert (answer.status_code, answer.json()["code"]) == (413, 8)
    (info,) = answer.json()["details"]
    assert (info["reason"], info["domain"]) == ("REQUEST_TOO_LARGE", "postroom")
    assert answer.headers["connection"] == "close"
    assert told == [("mcp", Code.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE")]


@pytest.mark.parametrize("piece", ["[[[]]],", "1,", '"a":{},'])
def test_a_body_of_very_many_values_is_refused_without_being_parsed(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, piece: str
) -> None:
    def parsed(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was parsed")

    monkeypatch.setattr("pydantic_core.from_json", parsed)
    start, end = ('{"to":{', '"b":0}}') if ":" in piece else ('{"to":[', "0]}")
    arguments = (start + piece * 301_000 + end).encode()
    whole = called("send_mail").replace(b"{}", arguments)
    (answer,), told = answered(registry, whole)
    assert (answer.status_code, answer.json()["code"]) == (400, 3)
    assert "300,000" in answer.json()["message"]
    assert told == [("mcp", Code.INVALID_ARGUMENT, "JSON_INVALID")]


def test_the_longest_text_is_taken_whatever_is_in_it(room: Room, registry: Registry) -> None:
    room.call("EnsureProject", project_key="/p")
    for name in ("alfa", "bravo"):
        room.call("RegisterAgent", project_key="/p", name=name, contact_policy="open")
    named = {"project_key": "/p", "sender_name": "alfa", "to": ["bravo"], "subject": "figures"}
    (answer,), _ = answered(registry, called("send_message", **named, body_md="1,[:{" * 52_428))
    assert '"count":1' in answer.text


def test_large_arguments_are_read_beside_the_event_loop(
    room: Room, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[bool] = []

    def noted(spec: Spec, arguments: Any) -> Any:
        threads.append(threading.current_thread() is threading.main_thread())
        return request_of(spec, arguments)

    monkeypatch.setattr(READ, noted)
    alfa = room.agent("alfa")
    small, large = (called("send_mail", to=alfa.id, body="x" * n) for n in (10, 2 * MEBIBYTE))
    answers, _ = answered(registry, small, large)
    assert threads == [True, False]
    assert '"isError":false' in answers[0].text
    # What is wrong with large arguments is told as with others.
    assert "invalid_argument" in answers[1].text


def test_a_library_that_cannot_be_loaded_leaves_nobody_waiting(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: str) -> Any:
        raise RuntimeError("secret")

    monkeypatch.setattr(IMPORT, broken)
    answers, _ = answered(registry, called("list_mail"), called("list_mail"))
    assert [answer.status_code for answer in answers] == [500, 500]
    assert [answer.json()["details"][0]["reason"] for answer in answers] == ["INTERNAL"] * 2
    assert "secret" not in answers[0].text
