"""The log: no text can forge a line, none tells a token, and nobody ever waits for it."""

import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from postroom.observe.forms import as_json, as_text
from postroom.observe.handler import SinkHandler
from postroom.observe.log import hear
from postroom.observe.sink import Line, Sink
from tests.observe.scripted import KeptLines

FORGED = 'x\n{"time":"2026","level":"error"}\r\u2028\x1b[2J\x00"'
TOKEN = f"prt_{'k' * 12}_{'s' * 43}"


@pytest.mark.parametrize("form", [as_json, as_text])
def test_a_text_cannot_begin_a_line_or_move_a_cursor(form: Callable[[Line], str]) -> None:
    text = form(Line(0.0, 30, FORGED, {"request_id": FORGED}))
    assert len(text.splitlines()) == 1
    assert text.isprintable()


def test_json_tells_what_was_said_and_leaves_out_what_is_empty() -> None:
    line = Line(1_796_117_400.25, 30, FORGED, {"request_id": FORGED, "ms": 1.5, "key": ""})
    assert json.loads(as_json(line)) == {
        "time": "2026-12-01T09:30:00.250Z",
        "level": "warning",
        "message": FORGED,
        "request_id": FORGED,
        "ms": 1.5,
    }


def test_text_marks_each_line_of_a_stack() -> None:
    text = as_text(Line(0.0, 40, "failed", {"stack": "one\ntwo\x1b", "code": "INTERNAL"}))
    first, *rest = text.splitlines()
    assert first.endswith("error   failed code=INTERNAL")
    assert rest == ["    | one", "    | two\\u001b"]


@pytest.mark.parametrize("form", [as_json, as_text])
def test_the_secret_of_a_token_is_taken_out_wherever_it_is_said(
    form: Callable[[Line], str],
) -> None:
    text = form(Line(0.0, 30, f"got {TOKEN}", {"request_id": TOKEN}))
    assert "s" * 43 not in text
    assert text.count("k" * 12) == 2


def test_a_very_long_text_is_cut() -> None:
    assert len(as_json(Line(0.0, 30, "x" * 10**6, {"stack": "y" * 10**6}))) < 20_000


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def _plain(line: Line) -> str:
    return f"{line.text} {line.facts.get('count', '')}".strip().ljust(200)


def test_a_reader_that_does_not_read_costs_lines_and_no_time(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    sink = Sink(writing, _plain, most_waiting=10)
    # Far more than a pipe holds; a sink that waited would never come to the end.
    for number in range(100_000):
        sink.put(20, str(number), {})
    assert sink.dropped > 0
    seen = ""
    with os.fdopen(os.dup(reading)) as reader:
        for line in reader:
            seen = line.strip()
            if "dropped" in seen:
                break
    assert seen.startswith("lines of the log were dropped ")
    assert 0 < int(seen.split()[-1]) <= sink.dropped
    sink.close()


def test_what_was_put_is_written_before_the_log_is_closed(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    sink = Sink(writing, as_json)
    for number in range(250):
        sink.put(20, "line", {"number": number})
    sink.close()
    lines = os.read(reading, 10**6).decode().splitlines()
    assert [json.loads(line)["number"] for line in lines] == list(range(250))


def test_a_stderr_that_is_gone_ends_nothing() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    sink = Sink(writing, as_json)
    sink.put(20, "line", {})
    sink.close()
    os.close(writing)
    assert sink.dropped == 1


def _raised(found: dict[str, int], text: str) -> Any:
    try:
        try:
            return found[text]
        except KeyError:
            return int(text)
    except ValueError:
        return sys.exc_info()


@pytest.mark.parametrize(("quotes", "expected"), [(False, False), (True, True)])
def test_an_errors_own_text_is_told_at_level_debug_alone(quotes: bool, expected: bool) -> None:
    kept = KeptLines()
    handler = SinkHandler(kept, quotes=quotes)  # type: ignore[arg-type]
    record = logging.LogRecord(
        "name", 40, __file__, 1, "failed %s", ("here",), _raised({}, "a body")
    )
    handler.emit(record)
    (line,) = kept.lines
    stack = str(line.facts["stack"])
    assert (line.text, line.facts["error"]) == ("failed here", "ValueError")
    assert stack.index("KeyError") < stack.index("ValueError")
    assert "in _raised" in stack
    assert ("body" in stack) is expected


def test_a_record_that_cannot_be_told_is_counted_as_dropped() -> None:
    kept = KeptLines()
    handler = SinkHandler(kept, quotes=False)  # type: ignore[arg-type]
    handler.emit(logging.LogRecord("name", 40, __file__, 1, "%d", ("no number",), None))
    assert (kept.lines, kept.dropped) == ([], 1)


def test_an_event_loop_does_not_quote_what_a_callback_was_given(
    caplog: pytest.LogCaptureFixture,
) -> None:
    import asyncio

    async def fail() -> None:
        loop = asyncio.get_running_loop()
        hear(loop)
        loop.call_soon(int, "a body")
        await asyncio.sleep(0)

    with caplog.at_level(logging.ERROR):
        asyncio.run(fail())
    (record,) = caplog.records
    assert record.getMessage().startswith("Exception in callback")
    assert "body" not in record.getMessage()
    assert record.exc_info is not None
