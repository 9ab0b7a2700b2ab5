"""Two processes on one database: no errors, exact limits, nothing lost or doubled."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from postroom.clock import SystemClock
from postroom.storage import open_store
from postroom.storage.store import Store
from tests.conformance.callers import Desk

ROOT = Path(__file__).parents[2]
Call = dict[str, Any]


@pytest.fixture
def opened(database_url: str) -> Iterator[Store]:
    """The test's own store, on the clock that the processes have."""
    store = open_store(database_url, SystemClock())
    yield store
    store.close()


def _run(url: str, threads: Sequence[Sequence[Sequence[Call]]], **limits: int) -> list[Call]:
    """Run one process for each list of threads, begun together; returns all answers."""
    command = [sys.executable, "-W", "error", "-m", "tests.conformance.worker", url]
    plans = [json.dumps({"limits": limits, "threads": each}) for each in threads]
    running = [
        subprocess.Popen(
            [*command, plan], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for plan in plans
    ]
    told = []
    for process in running:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        told += json.loads(output)
    return told


def _send(sender: str, to: str, **fields: str) -> Call:
    return {"method": "SendMail", "as_": sender, "to": to, "body": "x", **fields}


def test_c25_many_threads_of_two_processes_meet_no_error(opened: Store, database_url: str) -> None:
    agents = Desk(opened, SystemClock()).agents(*(f"agent-{number}" for number in range(8)))

    def thread(number: int) -> list[Call]:
        one, other = agents[number], agents[(number + 1) % 8]
        read = {"method": "ReadMail", "as_": one, "limit": 2}
        return [call for _ in range(50) for call in (_send(one, other), read)]

    threads = [[thread(number) for number in range(8)] for _ in range(2)]
    told = _run(database_url, threads, exchange=10_000, mailbox=10_000)
    assert Counter(each["outcome"] for each in told) == {"ok": 1_600}
    sent, read = (
        Counter(id for each in told if each["method"] == method for id in each["ids"])
        for method in ("SendMail", "ReadMail")
    )
    desk = Desk(opened, SystemClock())
    for agent in agents:
        while rest := desk.call("ReadMail", agent, limit=200).mail:
            read.update(mail.id for mail in rest)
    assert len(sent) == 800
    assert read == sent


def test_two_processes_share_the_limits_exactly(opened: Store, database_url: str) -> None:
    desk = Desk(opened, SystemClock())
    alfa, bravo, full, *senders = desk.agents(*(f"agent-{number}" for number in range(11)))

    def thread(number: int) -> list[Call]:
        pair = (alfa, bravo) if number % 2 else (bravo, alfa)
        return [call for _ in range(5) for call in (_send(*pair), _send(senders[number], full))]

    threads = [[thread(number) for number in range(8)] for _ in range(2)]
    outcomes = Counter(each["outcome"] for each in _run(database_url, threads, exchange=20))
    # No sender reaches the limit of its own exchange with the full mailbox.
    assert outcomes == {"ok": 20 + 80, "EXCHANGE_CAPPED": 60}
    outcomes = Counter(each["outcome"] for each in _run(database_url, threads, mailbox=90))
    assert outcomes == {"ok": 80 + 10, "MAILBOX_FULL": 70}


def test_two_processes_that_repeat_one_request_id_store_one_mail(
    opened: Store, database_url: str
) -> None:
    alfa, bravo = Desk(opened, SystemClock()).agents("alfa", "bravo")
    calls = [_send(alfa, bravo, request_id=f"r-{number}") for number in range(20)]
    told = _run(database_url, [[calls] * 4, [calls] * 4])
    assert Counter(each["outcome"] for each in told) == {"ok": 160}
    assert Counter(Counter(each["ids"][0] for each in told).values()) == {8: 20}
    assert opened.connection.one("SELECT COUNT(*) FROM mail") == (20,)
