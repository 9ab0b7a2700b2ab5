"""The disk is full, or cannot be written to, or the database is from the future."""

import contextlib
import random
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from postroom.storage.open import sqlite_path
from tests import postgres
from tests.acceptance.conftest import Serving, on
from tests.acceptance.doors import Door, Refused, whole_mailbox
from tests.acceptance.load import make_agents, soak_rounds
from tests.acceptance.polling import figure, looks
from tests.acceptance.sandbox import read_only, seen_by, small_disk
from tests.acceptance.server import Server, ended

BIG = "x" * 10_000
DISK_KIBIBYTES, BALLAST_KIBIBYTES = 3_000, 1_000


@on("sqlite")
@pytest.mark.needs("mounts")
def test_p10_a_full_disk_refuses_writes_serves_reads_and_recovers(
    serving: Serving, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    wrapper = small_disk(disk, DISK_KIBIBYTES)
    server = serving(f"sqlite:///{disk / 'mail.db'}", wrapper=wrapper)
    alfa, bravo = make_agents(server, "alfa", "bravo")
    ballast = seen_by(server.pid, disk / "ballast")
    ballast.write_bytes(bytes(BALLAST_KIBIBYTES * 1024))
    doors = [server.door("grpc"), server.door("json")]
    sent = _send_until_full(doors, alfa)
    assert len(sent) > 20
    for door in doors:
        _must_be_full(door, alfa)
        assert [mail.id for mail in whole_mailbox(door, bravo)][::-1] == sent
    ballast.unlink()
    freed = time.monotonic()
    sent.append(_send_when_possible(doors[0], alfa))
    assert time.monotonic() - freed <= figure(5.0)
    assert [mail.id for mail in whole_mailbox(doors[1], bravo)][::-1] == sent


def _send_until_full(doors: list[Door], sender: str) -> list[str]:
    sent: list[str] = []
    with contextlib.suppress(Refused):
        while True:
            door = doors[len(sent) % 2]
            sent.append(door.call("SendMail", sender, to="bravo", body=BIG).mail.id)
    return sent


def _must_be_full(door: Door, sender: str) -> None:
    with pytest.raises(Refused) as caught:
        door.call("SendMail", sender, to="bravo", body=BIG)
    assert (caught.value.code, caught.value.reason) == ("RESOURCE_EXHAUSTED", "STORAGE_FULL")


def _send_when_possible(door: Door, sender: str) -> str:
    for _ in looks(10.0):
        with contextlib.suppress(Refused):
            mail: Any = door.call("SendMail", sender, to="bravo", body=BIG).mail
            return str(mail.id)
    raise AssertionError("no send succeeded although there is space again")


@on("sqlite")
@pytest.mark.needs("mounts")
def test_p12_a_server_does_not_start_on_a_file_that_it_cannot_write(
    serving: Serving, database_url: str, tmp_path: Path
) -> None:
    assert serving().stop() == 0
    wrapper = read_only(sqlite_path(database_url).parent)
    folder = tmp_path.parent / f"{tmp_path.name}-logs"
    folder.mkdir()
    with ended(Server(folder, database_url, wrapper=wrapper)) as server:
        status, said = server.fail_to_start()
    assert status != 0
    assert said.count("\n") == 1
    assert "cannot be written" in said


@on("postgres")
@pytest.mark.parametrize("kind", ["grpc", "json"])
def test_p12_a_store_that_becomes_read_only_refuses_writes_and_serves_reads(
    serving: Serving, own_postgres: postgres.Server, kind: str
) -> None:
    server = serving(own_postgres.new_database("frozen"))
    alfa, bravo = make_agents(server, "alfa", "bravo")
    door = server.door(kind)
    door.call("SendMail", alfa, to="bravo", body="one")
    _set_read_only(own_postgres, "on")
    with pytest.raises(Refused) as caught:
        door.call("SendMail", alfa, to="bravo", body="two")
    assert caught.value.code == "FAILED_PRECONDITION"
    assert caught.value.reason == "STORAGE_READ_ONLY"
    assert [mail.body for mail in door.call("ListMail", bravo).mail] == ["one"]
    assert not server.is_ready()
    _set_read_only(own_postgres, "off")
    assert door.call("SendMail", alfa, to="bravo", body="three").mail.id
    assert server.is_ready()


def _set_read_only(server: postgres.Server, switch: str) -> None:
    import psycopg

    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute(f"ALTER SYSTEM SET default_transaction_read_only = {switch}".encode())
        connection.execute("SELECT pg_reload_conf()")
    for _ in looks(5.0):
        with psycopg.connect(server.url, autocommit=True) as connection:
            row = connection.execute("SHOW default_transaction_read_only").fetchone()
            if row == (switch,):
                return
    raise AssertionError("the setting did not take effect")


def test_p23_a_schema_from_the_future_is_refused_and_left_alone(
    serving: Serving, database_url: str, tmp_path: Path
) -> None:
    serving().stop()
    _set_schema(database_url, "999")
    with ended(Server(tmp_path, database_url)) as server:
        status, said = server.fail_to_start()
    assert status != 0
    assert said.count("\n") == 1
    assert "999" in said
    assert "upgrade" in said


def _set_schema(url: str, version: str) -> None:
    text = f"UPDATE settings SET value = '{version}' WHERE name = 'schema_version'"
    if url.startswith("sqlite"):
        with contextlib.closing(sqlite3.connect(sqlite_path(url))) as file, file:
            file.execute(text)
        return
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(text.encode())


def test_p23_a_first_start_that_was_killed_is_made_good_by_the_next(
    database_url: str, tmp_path: Path
) -> None:
    chance = random.Random(23)
    for number in range(soak_rounds(4)):
        url = _fresh(database_url, tmp_path, number)
        with ended(Server(tmp_path, url)) as server:
            server.launch()
            # A start takes about half a second, and ends with the migration.
            _wait_for_file(url, chance.uniform(0.3, 0.6))
            server.kill()
            server.start()
            assert make_agents(server, f"alfa{number}")


def _fresh(url: str, folder: Path, number: int) -> str:
    return f"sqlite:///{folder / f'fresh{number}.db'}" if url.startswith("sqlite") else url


def _wait_for_file(url: str, seconds: float) -> None:
    """Wait until a SQLite file appears, the moment when a kill hurts most, or a while."""
    for _ in looks(seconds):
        if url.startswith("sqlite") and sqlite_path(url).exists():
            return
