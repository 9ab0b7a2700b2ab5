"""Server streams: one JSON value per line, and what ends them."""

import asyncio

import pytest

from postroom.errors import NotFound
from postroom.surfaces.gateway import Gateway
from tests.surfaces.gateway.doors import ScriptedDoor
from tests.surfaces.gateway.http import Answer, ask, exchange, scope_of
from tests.surfaces.gateway.kinds import POOL, door, everything, new

GONE = NotFound("agent", "a1", "no agent has the id a1; list the agents")


def watched(behind: ScriptedDoor, path: str = "/watch", **headers: str) -> Answer:
    """Watch to the end."""
    given = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return ask(Gateway(behind, pool=POOL), "GET", path, given)


def test_each_message_is_a_line() -> None:
    answer = watched(door(everything(text="a"), everything(text="b")))
    assert answer.status == 200
    assert answer.header("Content-Type") == ["application/json"]
    assert [line["result"]["text"] for line in answer.lines] == ["a", "b"]
    assert len(answer.chunks) == 3, "each line is sent when it is there"


def test_a_stream_without_messages_is_an_empty_answer() -> None:
    answer = watched(door(headers=[("x-h", "1")]))
    assert (answer.status, answer.body, answer.is_whole) == (200, b"", True)
    assert answer.header("Content-Type") == []
    assert answer.header("Grpc-Metadata-X-H") == ["1"]


def test_an_error_before_the_first_message_sets_the_status() -> None:
    answer = watched(door(error=GONE))
    (line,) = answer.lines
    assert answer.status == 404
    assert line["error"]["code"] == 5
    assert line["error"]["details"][0]["reason"] == "AGENT_NOT_FOUND"


def test_an_error_after_a_message_is_the_last_line() -> None:
    answer = watched(door(everything(), error=GONE))
    assert answer.status == 200
    assert [list(line) for line in answer.lines] == [["result"], ["error"]]


def test_a_message_that_cannot_be_printed_ends_the_stream() -> None:
    answer = watched(door(everything(), everything(any_value={})))
    assert [list(line) for line in answer.lines] == [["result"], ["error"]]
    assert answer.lines[1]["error"]["code"] == 13


def test_lines_are_escaped_for_pages_and_line_readers() -> None:
    answer = watched(door(everything(text="<&>\u2028\n")))
    assert b'"text":"\\u003c\\u0026\\u003e\\u2028\\n"' in answer.body
    assert answer.lines[0]["result"]["text"] == "<&>\u2028\n"


def test_raw_content_is_streamed_as_it_is() -> None:
    raw = [new("google.api.HttpBody", data=b"a"), new("google.api.HttpBody", data=b"b")]
    assert watched(door(*raw), "/raws").body == b"a\nb\n"


def test_a_request_that_cannot_be_read_is_answered_as_any_other() -> None:
    behind = door()
    answer = watched(behind, "/watch?i32=x")
    assert (answer.status, answer.json["code"], behind.asked) == (400, 3, [])


def test_the_deadline_ends_a_stream() -> None:
    behind = door(hangs=True)
    answer = watched(behind, grpc_timeout="1m")
    assert answer.status == 504
    assert answer.lines[0]["error"]["code"] == 4
    assert behind.cancelled == 1


@pytest.mark.parametrize("path", ["/watch", "/q"])
def test_a_client_that_goes_away_cancels_the_call(path: str) -> None:
    behind = door(hangs=True)
    app = Gateway(behind, pool=POOL)
    answer = asyncio.run(exchange(app, scope_of("GET", path), [], hangs_up=True))
    assert behind.cancelled == 1
    assert answer.status == 0


def test_cancelling_the_server_is_not_mistaken_for_the_client() -> None:
    behind = door(hangs=True)
    app = Gateway(behind, pool=POOL)

    async def stop() -> None:
        task = asyncio.create_task(exchange(app, scope_of("GET", "/q"), []))
        await behind.began.wait()
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(stop())
    assert behind.cancelled == 1
