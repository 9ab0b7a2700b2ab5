"""A deadline in the middle of a write: done once or not at all, and a repeat tells."""

import concurrent.futures
import random
import time
from collections import Counter
from typing import Any

import pytest

from tests.acceptance.conftest import Serving
from tests.acceptance.doors import Refused
from tests.acceptance.load import make_agents, soak_rounds
from tests.acceptance.polling import figure
from tests.acceptance.server import Server
from tests.acceptance.truth import miscounted, stored_mail

# The body, the mail's id or "", and how long after its deadline the answer came.
Outcome = tuple[str, str, float]
THREADS = 4
LATE_SECONDS = figure(0.2)
# Of a hundred answers one may be later than that: the machine has other work too.
LATE_SHARE = 0.01


@pytest.mark.parametrize("kind", ["grpc", "json"])
def test_p30_m36_a_call_whose_deadline_passes_was_done_once_or_not_at_all(
    serving: Serving, database_url: str, kind: str
) -> None:
    server = serving()
    alfa, _ = make_agents(server, "alfa", "bravo")
    each = soak_rounds(15) * 5
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        jobs = [pool.submit(_call, server, kind, alfa, n, each) for n in range(THREADS)]
        outcomes = [outcome for job in jobs for outcome in job.result()]
    told = {body: id for body, id, _ in outcomes}
    overdue = sorted(seconds for _, _, seconds in outcomes if seconds > LATE_SECONDS)
    stored = {mail.body: mail.id for mail in stored_mail(database_url)}
    late = [body for body, id in told.items() if not id]
    print(f"{len(told)} calls, {len(late)} late, {sum(b in stored for b in late)} of those done")
    assert len(overdue) <= LATE_SHARE * len(outcomes), overdue
    assert late, "no deadline passed, so nothing was shown"
    assert {body: id for body, id in told.items() if id}.items() <= stored.items()
    door = server.door(kind)
    for body in told:
        mail = door.call("SendMail", alfa, to="bravo", body=body, request_id=body).mail
        assert stored.get(body, mail.id) == mail.id
    counts = Counter(mail.body for mail in stored_mail(database_url))
    assert counts == dict.fromkeys(told, 1)
    assert miscounted(database_url) == []


def _call(server: Server, kind: str, sender: str, number: int, count: int) -> list[Outcome]:
    """Make calls with short deadlines."""
    chance = random.Random(number)
    door = server.door(kind)
    outcomes = []
    for n in range(count):
        body, seconds = f"{number} {n}", chance.uniform(0.0, 0.05)
        begun = time.monotonic()
        fields = {"to": "bravo", "body": body, "request_id": body}
        try:
            id = door.call("SendMail", sender, seconds, **fields).mail.id
        except Refused as refused:
            if refused.code != "DEADLINE_EXCEEDED":
                raise
            id = ""
        outcomes.append((body, id, time.monotonic() - begun - seconds))
    return outcomes


@pytest.mark.parametrize("kind", ["grpc", "json"])
def test_p02_equal_requests_at_once_are_one_mail_with_one_answer(
    serving: Serving, database_url: str, kind: str
) -> None:
    server = serving()
    alfa, _ = make_agents(server, "alfa", "bravo")
    times = soak_rounds(30)
    doors = [server.door(kind) for _ in range(8)]
    with concurrent.futures.ThreadPoolExecutor(len(doors)) as pool:
        for number in range(times):
            fields: Any = {"to": "bravo", "body": f"{number}", "request_id": f"r-{number}"}
            jobs = [pool.submit(door.call, "SendMail", alfa, **fields) for door in doors]
            answers = {job.result().SerializeToString() for job in jobs}
            assert len(answers) == 1
    assert len(stored_mail(database_url)) == times
    assert miscounted(database_url) == []
