"""ReadMail takes mail for good: an answer that never arrives must not take it away."""

import concurrent.futures
import json
import random
import select
import socket
import struct
import subprocess
import sys

from tests.acceptance.conftest import Serving, on
from tests.acceptance.doors import AGENT_ID, SERVICE, whole_mailbox
from tests.acceptance.load import ROOT, make_agents, soak_rounds
from tests.acceptance.server import Server, environment


def _fill(server: Server, count: int) -> list[str]:
    """Send mail to bravo; returns alfa, bravo and then the ids, oldest first."""
    alfa, bravo = make_agents(server, "alfa", "bravo")
    door = server.door("json")
    return [bravo] + [
        door.call("SendMail", alfa, to="bravo", body=f"{n}").mail.id for n in range(count)
    ]


def test_p06_a_claim_whose_answer_got_lost_is_given_again(serving: Serving) -> None:
    rounds = soak_rounds(30)
    server = serving()
    bravo, *sent = _fill(server, rounds)
    chance = random.Random(6)
    door = server.door("grpc")
    taken, answered = [], 0
    for number in range(rounds):
        answered += _hang_up(server, bravo, f"r-{number}", waits=chance.random() < 0.7)
        again = door.call("ReadMail", bravo, limit=1, request_id=f"r-{number}").mail
        taken += [mail.id for mail in again]
    assert taken == sent
    assert answered >= rounds // 2, "too few answers were on their way"
    assert all(mail.claimed_at for mail in whole_mailbox(door, bravo))


def _hang_up(server: Server, agent: str, request_id: str, *, waits: bool) -> bool:
    """Call ReadMail and reset the connection unread; whether an answer was there by then."""
    host, _, port = server.http.rpartition(":")
    body = json.dumps({"limit": 1, "requestId": request_id})
    head = (
        f"POST /{SERVICE}/ReadMail HTTP/1.1\r\nHost: {server.http}\r\n{AGENT_ID}: {agent}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall((head + body).encode())
        if waits:
            select.select([connection], [], [], 10.0)
        there = bool(select.select([connection], [], [], 0)[0])
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return there


@on("sqlite")
def test_p06_a_reader_that_is_killed_finds_its_mail_again(serving: Serving) -> None:
    server = serving()
    bravo, *sent = _fill(server, 400)
    door = server.door("grpc")
    taken: list[str] = []
    for round_number in range(soak_rounds(3)):
        begun, answered = _kill_a_reader(server, bravo, f"round{round_number}")
        for request_id in begun:
            again = [
                m.id for m in door.call("ReadMail", bravo, limit=1, request_id=request_id).mail
            ]
            assert answered.get(request_id, again) == again
            taken += again
    assert taken == sent[: len(taken)]
    assert len(taken) >= 3


def _kill_a_reader(server: Server, agent: str, name: str) -> tuple[list[str], dict[str, list[str]]]:
    """Kill a reading process; returns the request ids it used and the answers it had."""
    command = [sys.executable, "-m", "tests.acceptance.reader", server.grpc, agent, name]
    env = environment(ROOT) | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env) as reader:
        assert reader.stdout
        lines = [json.loads(reader.stdout.readline()) for _ in range(20)]
        reader.kill()
        lines += [json.loads(line) for line in reader.stdout if line.endswith(b"\n")]
    begun = [line["begun"] for line in lines if "begun" in line]
    return begun, {line["answered"]: line["taken"] for line in lines if "answered" in line}


def test_p06_of_many_readers_each_piece_goes_to_one(serving: Serving) -> None:
    server = serving()
    readers, mails = 8, 1000
    alfa, bravo = make_agents(server, "alfa", "bravo")
    with concurrent.futures.ThreadPoolExecutor(readers) as pool:
        doors = [server.door(("grpc", "json")[n % 2]) for n in range(readers)]

        def send(n: int) -> None:
            for k in range(mails // readers):
                doors[n].call("SendMail", alfa, to="bravo", body=f"{n} {k}")

        def read(n: int) -> list[str]:
            taken: list[str] = []
            while page := doors[n].call("ReadMail", bravo, limit=7).mail:
                taken += [mail.id for mail in page]
            return taken

        list(pool.map(send, range(readers)))
        taken = [id for ids in pool.map(read, range(readers)) for id in ids]
    assert len(taken) == len(set(taken)) == mails
    listed = whole_mailbox(server.door("grpc"), bravo)
    assert {mail.id for mail in listed if mail.claimed_at} == set(taken)
