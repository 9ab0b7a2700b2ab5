"""Two servers on one database: together they are as exact as one."""

import concurrent.futures
from collections import Counter

from tests.acceptance.conftest import Loads, Serving
from tests.acceptance.doors import Refused, whole_mailbox
from tests.acceptance.load import Correspondents, Load, make_agents
from tests.acceptance.server import NO_LIMITS, Server
from tests.acceptance.truth import judge, miscounted, stored_mail

EXCHANGE, MAILBOX = 40, 50
CAPPED = 3


def test_p15_two_servers_under_load_lose_and_double_nothing(
    serving: Serving, load: Loads, database_url: str
) -> None:
    servers = [serving(), serving()]
    agents = Correspondents.made(servers[0], senders=4, recipients=2)
    loads = [load("one"), load("two")]
    for one, server in zip(loads, servers, strict=True):
        one.start(one.plans(server, agents))
    for one in loads:
        one.run_for(2.0)
    entries = [entry for one in loads for entry in one.stop()]
    verdict = judge(entries, stored_mail(database_url))
    verdict.must_be_clean(at_least=60)
    assert not verdict.errors
    assert miscounted(database_url) == []
    for server in servers:
        listed = [whole_mailbox(server.door("json"), one) for one in agents.recipients]
        assert sum(len(page) for page in listed) == verdict.acknowledged


def test_p15_a_pair_shares_one_limit_on_both_servers(serving: Serving, database_url: str) -> None:
    limits = NO_LIMITS | {"POSTROOM_EXCHANGE_LIMIT": str(EXCHANGE)}
    servers = [serving(settings=limits), serving(settings=limits)]
    alfa, bravo = make_agents(servers[0], "alfa", "bravo")
    outcomes = _race(servers, [(alfa, "bravo"), (bravo, "alfa")], 15)
    assert outcomes == {"": EXCHANGE, "EXCHANGE_CAPPED": 4 * 15 - EXCHANGE}
    kinds = Counter(int(mail.kind) for mail in stored_mail(database_url))
    assert kinds == {1: EXCHANGE, CAPPED: 2}
    assert miscounted(database_url) == []


def test_p15_a_mailbox_has_one_limit_on_both_servers(serving: Serving, database_url: str) -> None:
    limits = NO_LIMITS | {"POSTROOM_MAILBOX_LIMIT": str(MAILBOX)}
    servers = [serving(settings=limits), serving(settings=limits)]
    alfa, bravo, _ = make_agents(servers[0], "alfa", "bravo", "carol")
    outcomes = _race(servers, [(alfa, "carol"), (bravo, "carol")], 20)
    assert outcomes == {"": MAILBOX, "MAILBOX_FULL": 4 * 20 - MAILBOX}
    assert len(stored_mail(database_url)) == MAILBOX
    assert miscounted(database_url) == []


def test_p20_writers_on_one_row_never_see_a_conflict(serving: Serving, database_url: str) -> None:
    servers = [serving(), serving()]
    *senders, recipient = make_agents(servers[0], "alfa", "bravo", "carol", "dora")
    outcomes = _race(servers, [(sender, "dora") for sender in senders], 40)
    assert outcomes == {"": 240}
    assert len(whole_mailbox(servers[0].door("grpc"), recipient)) == 240
    assert miscounted(database_url) == []


def test_c25_threads_of_two_clients_meet_no_error(
    serving: Serving, load: Loads, database_url: str
) -> None:
    server = serving()
    agents = Correspondents.made(server, senders=2, recipients=2)
    clients: Load = load()
    clients.start(clients.plans(server, agents, threads=8, count=50, reads=True, repeats=0.0))
    entries = clients.join()
    verdict = judge(entries, stored_mail(database_url))
    verdict.must_be_clean(at_least=2 * 8 * 50)
    assert not verdict.errors
    assert miscounted(database_url) == []


def _race(servers: list[Server], pairs: list[tuple[str, str]], each: int) -> Counter[str]:
    """Send for every pair through every server at once; counts the reasons, "" for OK."""

    def send(job: tuple[Server, str, str, str]) -> list[str]:
        server, kind, sender, recipient = job
        door = server.door(kind)
        outcomes = []
        for number in range(each):
            try:
                door.call("SendMail", sender, to=recipient, body=f"{number}")
                outcomes.append("")
            except Refused as refused:
                outcomes.append(refused.reason or str(refused))
        return outcomes

    kinds = zip(servers, ("grpc", "json"), strict=True)
    jobs = [(server, kind, *pair) for server, kind in kinds for pair in pairs]
    with concurrent.futures.ThreadPoolExecutor(len(jobs)) as pool:
        return Counter(outcome for outcomes in pool.map(send, jobs) for outcome in outcomes)
