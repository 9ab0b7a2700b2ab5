"""S12: limits hold exactly, however many send at once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from tests.acceptance.doors import GrpcDoor, JsonDoor, Refused
from tests.acceptance.server import Server
from tests.security.conftest import Serving

SENDERS = 32


def outcome(server: Server, number: int, sender: str, to: str) -> str:
    door = GrpcDoor(server.grpc) if number % 2 else JsonDoor(server.http)
    try:
        door.call("SendMail", sender, seconds=60, to=to, body=f"piece {number}")
    except Refused as refused:
        return refused.reason
    finally:
        door.close()
    return "sent"


def all_at_once(servers: list[Server], senders: list[str], to: str) -> Counter[str]:
    with ThreadPoolExecutor(SENDERS) as pool:
        jobs = [
            pool.submit(outcome, servers[number % len(servers)], number, sender, to)
            for number, sender in enumerate(senders)
        ]
        return Counter(job.result() for job in jobs)


def test_s12_of_32_at_once_exactly_as_many_get_through_as_the_limits_say(serving: Serving) -> None:
    limits = {"exchange_limit": 10, "mailbox_limit": 20}
    servers = [serving(**limits), serving(**limits)]
    door = servers[0].door("grpc")
    ids = [
        door.call("CreateAgent", name=f"agent-{number}", workflow="w").agent.id
        for number in range(SENDERS + 2)
    ]
    *senders, pair, full = ids
    found = all_at_once(servers, [senders[0]] * SENDERS, pair)
    assert found == {"sent": 10, "EXCHANGE_CAPPED": 22}
    found = all_at_once(servers, senders, full)
    assert found == {"sent": 20, "MAILBOX_FULL": 12}
    assert len(door.call("ListMail", full).mail) == 20
