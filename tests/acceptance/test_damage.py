"""The database's file is damaged: never an empty list, never a new file in its place."""

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from postroom.storage.open import sqlite_path
from tests.acceptance.conftest import Serving, on
from tests.acceptance.doors import Refused, http_get, whole_mailbox
from tests.acceptance.load import make_agents, soak_rounds
from tests.acceptance.server import Server, ended

PAGE = 4096
MAILS = 60
BODY = "words " * 50
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda _: b"",
    "cut in a page": lambda whole: whole[: len(whole) // 2 + 100],
    "cut between pages": lambda whole: whole[: len(whole) // PAGE // 2 * PAGE],
    "not a database": lambda whole: b"no such thing\n" * (len(whole) // 14),
    "a page of zeros": lambda whole: whole[: 5 * PAGE] + bytes(PAGE) + whole[6 * PAGE :],
}


@pytest.fixture
def filled(serving: Serving) -> tuple[Server, str, list[str]]:
    """A stopped server, an agent with mail, and the ids of that mail, oldest first."""
    server = serving()
    alfa, bravo = make_agents(server, "alfa", "bravo")
    door = server.door("grpc")
    sent = [door.call("SendMail", alfa, to="bravo", body=BODY).mail.id for _ in range(MAILS)]
    assert server.stop() == 0
    return server, bravo, sent


@on("sqlite")
@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("name", DAMAGES)
def test_p13_a_damaged_file_ends_the_start_with_one_line_and_stays_as_it_is(
    database_url: str, tmp_path: Path, name: str
) -> None:
    path = sqlite_path(database_url)
    path.write_bytes(damaged := DAMAGES[name](path.read_bytes()))
    with ended(Server(tmp_path, database_url)) as server:
        status, said = server.fail_to_start()
    assert status not in (0, 1)
    assert said.count("\n") == 1
    assert str(path) in said
    assert "backup" in said
    assert path.read_bytes() == damaged


@on("sqlite")
@pytest.mark.parametrize("kind", ["grpc", "json"])
def test_p13_m28_damage_met_while_running_is_data_loss_and_ends_readiness(
    filled: tuple[Server, str, list[str]], database_url: str, kind: str
) -> None:
    server, bravo, _ = filled
    server.start()
    assert server.is_ready()
    door = server.door(kind)
    _overwrite(sqlite_path(database_url), _pages_of(sqlite_path(database_url), "mail"))
    for method in ("ListMail", "ReadMail", "ListMail"):
        with pytest.raises(Refused) as caught:
            door.call(method, bravo)
        assert (caught.value.code, caught.value.reason) == ("DATA_LOSS", "STORAGE_CORRUPT")
    reply = http_get(server.http, "/readyz")
    assert (reply.status, reply.json["reason"]) == (503, "STORAGE_CORRUPT")


@on("sqlite")
def test_p13_no_answer_from_a_damaged_file_is_short_or_altered(
    filled: tuple[Server, str, list[str]], tmp_path: Path
) -> None:
    """Each answer has all mail, or is DATA_LOSS, or the start is refused."""
    _, _, sent = filled
    chance = random.Random(13)
    outcomes = [_outcome(tmp_path, number, chance, sent) for number in range(soak_rounds(8))]
    print({outcome: outcomes.count(outcome) for outcome in set(outcomes)})
    assert set(outcomes) <= {"right", "refused to start", "data loss"}
    assert {"refused to start", "data loss"} & set(outcomes)


def _outcome(folder: Path, number: int, chance: random.Random, sent: list[str]) -> str:
    copy = folder / f"copy{number}.db"
    shutil.copyfile(folder / "mail.db", copy)
    with copy.open("r+b") as file:
        size = copy.stat().st_size
        if number % 5 == 4:
            file.truncate(chance.randrange(1, size))
        else:
            file.seek(place := chance.randrange(size))
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ 0xFF]))
    with ended(Server(folder, f"sqlite:///{copy}")) as server:
        server.launch()
        return _answer(server, sent) if server.await_decision() else "refused to start"


def _answer(server: Server, sent: list[str]) -> str:
    try:
        door = server.door("grpc")
        bravo = next(one.id for one in door.call("ListAgents").agents if one.name == "bravo")
        listed = whole_mailbox(door, bravo)[::-1]
    except Refused as refused:
        if refused.code != "DATA_LOSS":
            raise
        return "data loss"
    if [mail.id for mail in listed] == sent and {mail.body for mail in listed} == {BODY}:
        return "right"
    return "short" if len(listed) < len(sent) else "altered"


def _pages_of(path: Path, table: str) -> list[int]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE tbl_name = ? AND rootpage > 0", (table,)
        )
        return [int(row[0]) for row in rows]


def _overwrite(path: Path, pages: list[int]) -> None:
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(b"\xff" * PAGE)
