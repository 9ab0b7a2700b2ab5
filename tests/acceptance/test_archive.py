"""The archive behind a real server: kills, full disks, a lost database, open files."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.conftest import Serving, on
from tests.acceptance.doors import http_get
from tests.acceptance.load import soak_rounds
from tests.acceptance.polling import eventually, figure, for_a_while
from tests.acceptance.sandbox import seen_by, small_disk
from tests.acceptance.server import NO_LIMITS, Server, environment
from tests.acceptance.truth import query
from tests.acceptance.writers import KEY, Writers, settle, write
from tests.archive.kept import git

SEED = 20_261_201
CATCH_UP_SECONDS = figure(30.0)
WAITING = "SELECT COUNT(*) FROM outbox"
MESSAGES = "SELECT id FROM message"


def settings_for(folder: Path) -> dict[str, str]:
    """Settings of a server that keeps its data in a folder."""
    return {**NO_LIMITS, "POSTROOM_DATA_DIR": str(folder / "data")}


def repository(folder: Path) -> Path:
    """The only repository of a data directory."""
    (found,) = (folder / "data/archive").glob("*/repo.git")
    return found


def canonical(repository: Path) -> list[str]:
    """The ids of the archived messages."""
    listed = git(repository, "ls-tree", "-r", "--name-only", "main", "messages/").splitlines()
    return [Path(path).stem for path in listed]


def postroom(folder: Path, *arguments: str, database: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command on the data directory."""
    places = {"POSTROOM_DATA_DIR": str(folder / "data"), "POSTROOM_DATABASE_URL": database}
    return subprocess.run(
        [sys.executable, "-m", "postroom", *arguments],
        env=environment(folder) | places,
        capture_output=True,
        text=True,
        check=False,
    )


def faults(path: Path) -> list[str]:
    """What Git finds wrong; that nothing is committed yet, which it notices, is no fault."""
    told = git(path, "fsck", "--strict", "--full", "--no-dangling")
    return [line for line in told.splitlines() if not line.startswith("notice: ")]


def has_caught_up(database: str) -> bool:
    return query(database, WAITING) == [(0,)]


def test_p08_m29_kills_in_the_middle_of_commits_lose_and_double_nothing(
    serving: Serving, database_url: str, store_kind: str, tmp_path: Path
) -> None:
    rounds = soak_rounds(10 if store_kind == "sqlite" else 3)
    server = serving(settings=settings_for(tmp_path))
    settle(server, "Alfa", "Bravo", "Carol")
    chance = random.Random(SEED)
    print(f"seed {SEED}, kills {rounds}")
    with Writers(server, "Alfa", "Carol", to="Bravo") as writers:
        for _ in range(rounds):
            for_a_while(chance.uniform(0.3, 1.2))
            server.kill()
            for path in (tmp_path / "data/archive").glob("*/repo.git"):
                assert faults(path) == []
            server.start()
    eventually(lambda: has_caught_up(database_url), CATCH_UP_SECONDS, "the archive catches up")
    # While packs are being joined, one that Git has just seen may be gone when it looks again.
    server.stop()
    archived = canonical(repository(tmp_path))
    assert len(writers.acknowledged) >= 2 * rounds
    assert writers.acknowledged <= set(archived)
    assert sorted(archived) == sorted(id for (id,) in query(database_url, MESSAGES))
    assert faults(repository(tmp_path)) == []
    assert not list((tmp_path / "data/archive").rglob("*.lock.*"))
    verified = postroom(tmp_path, "archive", "verify", database=database_url)
    assert (verified.returncode, verified.stdout) == (0, "")


@on("sqlite")
@pytest.mark.needs("mounts")
def test_p11_a_full_disk_under_the_archive_alone_fails_no_send_and_drains_later(
    serving: Serving, database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    wrapper = small_disk(tmp_path / "data", 2_000)
    server = serving(settings=settings_for(tmp_path), wrapper=wrapper)
    settle(server, "Alfa", "Bravo")
    first = write(server, "Alfa", "Bravo")
    eventually(lambda: has_caught_up(database_url), CATCH_UP_SECONDS, "the first is archived")
    ballast = seen_by(server.pid, tmp_path / "data/ballast")
    with pytest.raises(OSError, match="No space"):
        ballast.write_bytes(bytes(4_000_000))
    sent = [write(server, "Alfa", "Bravo", os.urandom(2_000).hex()) for _ in range(5)]
    eventually(lambda: _archive_is(server, "BEHIND"), 30, "the backlog shows in health")
    assert server.is_ready()
    assert query(database_url, WAITING) == [(5,)]
    eventually(lambda: "the archive is behind" in server.log(), 30, "the log tells it")
    ballast.unlink()
    eventually(lambda: has_caught_up(database_url), CATCH_UP_SECONDS, "the backlog drains")
    eventually(lambda: _archive_is(server, None), 30, "health is well again")
    # Git finds its way by the names of folders, so it needs the repository on our side.
    path = tmp_path / "copy.git"
    shutil.copytree(repository(seen_by(server.pid, tmp_path)), path)
    assert set(canonical(path)) == {first, *sent}
    assert git(path, "fsck", "--strict", "--full", "--no-dangling") == ""


def _archive_is(server: Server, word: str | None) -> bool:
    shown = json.loads(http_get(server.http, "/healthz").body)
    return bool(shown.get("archive") == word)


@on("sqlite")
def test_p14_without_its_database_a_server_with_an_archive_does_not_start(
    serving: Serving, database_url: str, tmp_path: Path
) -> None:
    server = serving(settings=settings_for(tmp_path))
    settle(server, "Alfa", "Bravo")
    sent = write(server, "Alfa", "Bravo")
    eventually(lambda: has_caught_up(database_url), CATCH_UP_SECONDS, "the archive catches up")
    assert server.stop() == 0
    for path in tmp_path.glob("mail.db*"):
        path.unlink()
    status, said = server.fail_to_start()
    assert status == 69
    assert "postroom recover" in said
    assert not list(tmp_path.glob("mail.db*"))
    recovered = postroom(tmp_path, "recover", database=database_url)
    assert recovered.returncode == 0, recovered.stderr
    server.start()
    door = server.door("json")
    inbox = door.call("FetchInbox", project_key=KEY, agent_name="Bravo").messages
    assert [message.id for message in inbox] == [sent]


@on("sqlite")
def test_m27_many_sends_leave_no_file_open(
    serving: Serving, database_url: str, tmp_path: Path
) -> None:
    server = serving(settings=settings_for(tmp_path))
    settle(server, "Alfa", "Bravo")

    def open_files() -> int:
        return len(list(Path(f"/proc/{server.pid}/fd").iterdir()))

    def send(count: int) -> None:
        for _ in range(count):
            write(server, "Alfa", "Bravo")
        eventually(lambda: has_caught_up(database_url), CATCH_UP_SECONDS, "the archive catches up")

    send(50)
    before = open_files()
    for _ in range(soak_rounds(4)):
        send(100)
    # A connection that has not been closed yet is no growth.
    assert open_files() <= before + 3


@on("sqlite")
def test_where_the_archive_is_off_nothing_is_left_for_it(
    serving: Serving, database_url: str, tmp_path: Path
) -> None:
    server = serving(settings=settings_for(tmp_path) | {"POSTROOM_ARCHIVE": "off"})
    settle(server, "Alfa", "Bravo")
    write(server, "Alfa", "Bravo")
    assert query(database_url, WAITING) == [(0,)]
    assert not list(tmp_path.glob("data/archive/*/repo.git"))


@on("sqlite")
def test_where_all_is_archived_plain_mail_is_too(
    serving: Serving, database_url: str, tmp_path: Path
) -> None:
    server = serving(settings=settings_for(tmp_path) | {"POSTROOM_ARCHIVE": "all"})
    settle(server, "Alfa", "Bravo")
    door = server.door("grpc")
    alfa, bravo = (agent.id for agent in door.call("ListAgents").agents)
    sent = [
        door.call("SendMail", alfa, to=bravo, body="from an agent").mail.id,
        door.call("SendMail", to=alfa, body="from the operator").mail.id,
    ]
    eventually(lambda: has_caught_up(database_url), CATCH_UP_SECONDS, "the archive catches up")
    listed = git(repository(tmp_path), "ls-tree", "-r", "--name-only", "main", "mail/").splitlines()
    assert sorted(Path(path).stem for path in listed) == sorted(sent)


def test_a_bad_author_ends_the_start(tmp_path: Path) -> None:
    bad = settings_for(tmp_path) | {"POSTROOM_ARCHIVE_AUTHOR": "nobody"}
    server = Server(tmp_path, f"sqlite:///{tmp_path / 'mail.db'}", settings=bad)
    status, said = server.fail_to_start()
    assert (status, "POSTROOM_ARCHIVE_AUTHOR" in said) == (78, True)
