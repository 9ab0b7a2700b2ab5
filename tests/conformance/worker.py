"""A second server's process: calls from many threads, told to the test as JSON.

Run as `python -m tests.conformance.worker URL PLAN`; it begins when a line arrives.
"""

import json
import sys
from functools import partial
from typing import Any

from postroom.clock import SystemClock
from postroom.errors import Refusal
from postroom.storage import open_store
from tests.conformance.callers import Desk, at_once


def run_thread(desk: Desk, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Make calls one after another; tells what each was answered with."""
    return [answer(desk, **call) for call in calls]


def answer(desk: Desk, method: str, as_: str, **fields: Any) -> dict[str, Any]:
    """Make one call."""
    try:
        response = desk.call(method, as_, **fields)
    except Refusal as refusal:
        return {"outcome": refusal.reason}
    mail = [response.mail] if method == "SendMail" else response.mail
    return {"outcome": "ok", "method": method, "ids": [piece.id for piece in mail]}


def main(url: str, plan: dict[str, Any]) -> None:
    """Do what the plan says: its limits, and for each thread its calls."""
    clock = SystemClock()
    store = open_store(url, clock)
    desk = Desk(store, clock, **plan["limits"])
    print("ready", flush=True)
    sys.stdin.readline()
    told = at_once([partial(run_thread, desk, calls) for calls in plan["threads"]])
    store.close()
    print(json.dumps([each for thread in told for each in thread]))


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
