"""Each call through the door is counted once and logged with its code and reason."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from postroom import token
from postroom.errors import Archived, Code, Internal, QuotaSpent, Refusal
from postroom.rpc.door import Incoming, end_stream
from postroom.watching import lagged
from tests.observe.scripted import Observed

SECRET = "s" * 43
TOKEN = f"prt_{'k' * 12}_{SECRET}"


async def answers() -> str:
    return "answer"


async def refuses() -> None:
    raise QuotaSpent("the mailbox is full", "MAILBOX_FULL", "agent:agt_1", 1)


async def breaks() -> None:
    raise ValueError("a body that nobody may see")


async def waits() -> None:
    await asyncio.Event().wait()


def run(work: Any) -> Any:
    async def once() -> Any:
        return await work

    return asyncio.run(once())


def test_an_answer_is_handed_on_counted_and_logged() -> None:
    observed = Observed(answers)
    incoming = Incoming((), None, "192.0.2.7", surface="grpc")
    assert run(observed.call("SendMail", incoming, request_id="abc")) == "answer"
    assert observed.handled("SendMail") == {"OK": 1}
    (facts,) = observed.kept.facts
    assert facts.pop("ms") is not None
    assert facts == {
        "method": "agent.v1.AgentService/SendMail",
        "surface": "grpc",
        "code": "OK",
        "caller": "agt_caller",
        "peer": "192.0.2.7",
        "request_id": "abc",
    }


def test_a_refusal_is_handed_on_untouched_with_its_code_and_reason_in_the_log() -> None:
    observed = Observed(refuses, log_calls="refused")
    with pytest.raises(QuotaSpent):
        run(observed.call("SendMail"))
    (facts,) = observed.kept.facts
    assert (facts["code"], facts["reason"]) == ("RESOURCE_EXHAUSTED", "MAILBOX_FULL")
    assert observed.handled("SendMail") == {"RESOURCE_EXHAUSTED": 1}
    assert observed.metrics.refused == {"MAILBOX_FULL": 1}


def test_an_unexpected_error_has_one_id_for_the_caller_the_log_and_the_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    observed = Observed(breaks)
    with caplog.at_level(logging.ERROR), pytest.raises(Internal) as raised:
        run(observed.call("ListMail"))
    (record,) = caplog.records
    (facts,) = observed.kept.facts
    assert facts["event"] == raised.value.number
    assert record.facts == {"event": raised.value.number}  # type: ignore[attr-defined]
    assert "body" not in str(facts)
    assert observed.kept.lines[0].level == logging.ERROR


@pytest.mark.parametrize(
    ("log_calls", "level", "lines"),
    [("none", 10, 0), ("refused", 20, 1), ("all", 20, 2), ("all", 40, 0)],
)
def test_the_settings_say_which_calls_have_a_line(log_calls: str, level: int, lines: int) -> None:
    for script, count in ((answers, lines == 2), (refuses, lines > 0)):
        observed = Observed(script, log_calls=log_calls, level=level)
        try:
            run(observed.call("SendMail"))
        except Refusal:
            assert script is refuses
        assert len(observed.kept.lines) == count


def test_a_caller_that_leaves_is_counted_and_was_not_refused() -> None:
    observed = Observed(waits, log_calls="refused")

    async def leave() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(observed.call("ListMail"), 0.001)

    asyncio.run(leave())
    assert observed.handled("ListMail") == {"CANCELLED": 1}
    assert not observed.metrics.refused
    assert not observed.kept.lines


def test_a_deadline_that_ends_a_call_is_told_from_a_caller_that_leaves() -> None:
    observed = Observed(waits)

    async def expire() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(observed.call("ListMail", Incoming((), 0.001)), 0.001)

    asyncio.run(expire())
    assert observed.handled("ListMail") == {"DEADLINE_EXCEEDED": 1}


async def two_pieces() -> AsyncIterator[str]:
    yield "one"
    yield "two"


async def piece_and_refusal() -> AsyncIterator[str]:
    yield "one"
    raise Archived("agt_1", "is archived")


async def read_all(messages: AsyncIterator[Any]) -> list[Any]:
    return [message async for message in messages]


def test_a_stream_is_one_call_from_its_begin_to_its_end() -> None:
    observed = Observed(two_pieces)
    assert run(read_all(observed.stream("WatchMail"))) == ["one", "two"]
    assert observed.handled("WatchMail") == {"OK": 1}
    assert len(observed.kept.lines) == 1


def test_a_refused_stream_is_counted_with_its_code() -> None:
    observed = Observed(piece_and_refusal)
    with pytest.raises(Archived):
        run(read_all(observed.stream("WatchMail")))
    assert observed.handled("WatchMail") == {"FAILED_PRECONDITION": 1}


def test_a_watcher_that_is_cut_off_has_the_reason_that_it_was_told() -> None:
    observed = Observed(two_pieces)

    async def cut() -> None:
        messages = observed.stream("WatchMail")
        await anext(messages)
        with pytest.raises(Refusal):
            await end_stream(messages, lagged(60))

    asyncio.run(cut())
    assert observed.metrics.refused == {lagged(60).reason: 1}


def test_a_token_is_told_by_its_key_id_alone() -> None:
    observed = Observed(answers)
    run(observed.call("ListMail", Incoming((("authorization", f"Bearer {TOKEN}"),))))
    (facts,) = observed.kept.facts
    assert facts["key"] == token.parse(TOKEN)[0]
    assert SECRET not in str(facts)


def test_a_long_request_id_is_cut() -> None:
    observed = Observed(answers)
    run(observed.call("SendMail", request_id="x" * 5000))
    assert len(str(observed.kept.facts[0]["request_id"])) < 200


def test_what_never_became_a_call_is_logged_and_counted_by_its_reason() -> None:
    observed = Observed(answers, log_calls="refused")
    observed.door.turned_away("http", Code.PERMISSION_DENIED, "BAD_HOST", "127.0.0.1")
    (line,) = observed.kept.lines
    assert (line.text, line.level, line.facts["reason"]) == ("turned away", 30, "BAD_HOST")
    assert observed.metrics.refused == {"BAD_HOST": 1}
    assert not any(each.started for each in observed.metrics.series)
