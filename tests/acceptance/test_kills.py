"""The server dies under load: nothing acknowledged is lost, nothing is doubled."""

import random
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

from agent.v1.agent_service_pb2 import SendMailResponse
from postroom.storage.open import sqlite_path
from tests import postgres
from tests.acceptance.conftest import Loads, Serving, on
from tests.acceptance.doors import HAS_MCP, whole_mailbox
from tests.acceptance.load import Correspondents, Load, soak_rounds, without_request_ids
from tests.acceptance.polling import eventually, figure
from tests.acceptance.server import Server
from tests.acceptance.truth import (
    ANSWERS,
    codes,
    damage,
    judge,
    miscounted,
    query,
    stored_mail,
)

SEED = 20_261_201
READY_SECONDS = figure(3.0)
# A round has 4 clients and on average 0.9 s; this many is a tenth of what one does.
ACKNOWLEDGED_PER_ROUND = 15
# The last rounds have a client on MCP beside the others. They are longer, because a fresh
# server loads the library of MCP when it is first asked for.
ROUNDS_TO_ONE_OF_MCP, MCP_SECONDS = 7, 2.5


@on("sqlite")
def test_p01_p02_kills_under_load_lose_and_double_nothing(
    serving: Serving, load: Loads, database_url: str, tmp_path: Path
) -> None:
    rounds = soak_rounds(20)
    server = serving()
    agents = Correspondents.made(server, senders=5)
    clients = load()
    *plain, last = clients.plans(server, agents, seed=SEED)
    clients.start(plain)
    chance = random.Random(SEED)
    slowest = 0.0
    with_mcp = rounds // ROUNDS_TO_ONE_OF_MCP if HAS_MCP else 0
    for number in range(rounds):
        if number == rounds - with_mcp:
            clients.start([replace(last, doors=["mcp"])])
        more = MCP_SECONDS if number >= rounds - with_mcp else 0.0
        clients.run_for(chance.uniform(0.3, 1.5) + more)
        slowest = max(slowest, _crash_and_return(server, clients, database_url, tmp_path))
    entries = clients.stop()
    by_door = Counter(entry["door"] for entry in entries if entry.get("mail"))
    print(f"seed {SEED}, kills {rounds}, slowest return {slowest:.2f} s, by door {dict(by_door)}")
    verdict = judge(entries, stored_mail(database_url))
    verdict.must_be_clean(at_least=ACKNOWLEDGED_PER_ROUND * rounds)
    assert by_door["mcp"] >= with_mcp
    _must_agree(server, agents, database_url)
    assert codes(entries) <= {"UNAVAILABLE"}
    assert slowest <= READY_SECONDS


@on("postgres")
def test_p01_p02_kills_under_load_lose_and_double_nothing_on_postgres(
    serving: Serving, load: Loads, database_url: str
) -> None:
    rounds = soak_rounds(3)
    server = serving()
    agents = Correspondents.made(server)
    clients = load()
    clients.start(clients.plans(server, agents, seed=SEED))
    for _ in range(rounds):
        clients.run_for(0.8)
        server.kill()
        server.start()
        clients.where(server)
    entries = clients.stop()
    verdict = judge(entries, stored_mail(database_url))
    verdict.must_be_clean(at_least=ACKNOWLEDGED_PER_ROUND * rounds)
    _must_agree(server, agents, database_url)
    assert codes(entries) <= {"UNAVAILABLE"}


@on("postgres")
def test_p18_restarts_of_postgres_lose_and_double_nothing(
    serving: Serving, load: Loads, own_postgres: postgres.Server
) -> None:
    rounds = soak_rounds(3)
    url = own_postgres.new_database("restarted")
    server = serving(url)
    agents = Correspondents.made(server)
    clients = load()
    clients.start(clients.plans(server, agents, seed=SEED))
    for _ in range(rounds):
        clients.run_for(1.0)
        own_postgres.control("-m", "immediate", "restart")
        eventually(server.is_ready, 5.0, "the server finds its database again")
    clients.run_for(1.0)
    entries = clients.stop()
    judge(entries, stored_mail(url)).must_be_clean(at_least=ACKNOWLEDGED_PER_ROUND * rounds)
    _must_agree(server, agents, url)
    assert codes(entries) == {"UNAVAILABLE"}
    assert server.is_alive()


@on("sqlite")
def test_p01_the_checker_finds_losses_when_acknowledged_mail_is_taken_away(
    serving: Serving, load: Loads, database_url: str, tmp_path: Path
) -> None:
    server = serving()
    clients = load()
    clients.start(clients.plans(server, Correspondents.made(server), seed=SEED))
    clients.run_for(0.7)
    server.kill()
    _copy(sqlite_path(database_url), before := tmp_path / "before")
    server.start()
    clients.where(server)
    clients.run_for(0.7)
    server.kill()
    _copy(before / "mail.db", tmp_path)
    server.start()
    clients.where(server)
    verdict = judge(clients.stop(), stored_mail(database_url))
    assert verdict.lost


@on("sqlite")
def test_p02_the_checker_finds_doubles_when_requests_have_no_id(
    serving: Serving, load: Loads, database_url: str
) -> None:
    server = serving()
    clients = load()
    plans = clients.plans(server, Correspondents.made(server), count=20)
    clients.start(without_request_ids(plans))
    verdict = judge(clients.join(), stored_mail(database_url))
    assert len(verdict.doubled) == verdict.acknowledged == 80
    assert not verdict.lost


@on("sqlite")
def test_c27_mail_is_there_when_the_server_dies_with_its_answer(
    serving: Serving, database_url: str
) -> None:
    times = soak_rounds(6)
    server = serving()
    sender, recipient = Correspondents.made(server, 1, 1).senders[0], "recipient0"
    sent = []
    for number in range(times):
        door = server.door(("grpc", "json")[number % 2])
        sent.append(door.call("SendMail", sender, to=recipient, body=f"{number}").mail.id)
        server.kill()
        server.start()
    assert [piece.id for piece in stored_mail(database_url)] == sent


def _crash_and_return(server: Server, clients: Load, database_url: str, folder: Path) -> float:
    """Kill the server, look at what it left, start it again; returns how long that took."""
    server.kill()
    _copy(sqlite_path(database_url), left := folder / "left")
    assert damage(left / "mail.db") == []
    server.start()
    clients.where(server)
    return server.start_seconds + eventually(server.is_ready, READY_SECONDS, "ready again")


def _copy(database: Path, folder: Path) -> None:
    """Copy a database, nobody having it open, with its log, over what was there."""
    folder.mkdir(exist_ok=True)
    for suffix in ("", "-wal", "-shm"):
        source, target = database.with_name(database.name + suffix), folder / f"mail.db{suffix}"
        target.unlink(missing_ok=True)
        if source.exists():
            shutil.copyfile(source, target)


def _must_agree(server: Server, agents: Correspondents, url: str) -> None:
    """Lists, rows, counters and stored answers must say the same."""
    stored = stored_mail(url)
    for kind in ("grpc", "json", *(["mcp"] if HAS_MCP else [])):
        door = server.door(kind)
        listed = {mail.id for one in agents.recipients for mail in whole_mailbox(door, one)}
        assert listed == {mail.id for mail in stored}
    assert miscounted(url) == []
    by_body = {mail.body: mail.id for mail in stored}
    for request_id, response in query(url, ANSWERS):
        assert by_body[request_id] == SendMailResponse.FromString(bytes(response)).mail.id
