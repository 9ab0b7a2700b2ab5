"""Acknowledged means flushed: the order of system calls, and the log cut short.

Power cannot be cut in a test. What is shown is the order in which the server asks for
a flush and answers; that the drive tells the truth is assumed.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from postroom.storage.open import sqlite_path
from tests.acceptance.conftest import Serving, on
from tests.acceptance.load import make_agents, soak_rounds
from tests.acceptance.server import Server
from tests.acceptance.trace import COMMAND, order, without_flushes

PAGE, FRAME_HEADER, LOG_HEADER = 4096, 24, 32
FRAME = PAGE + FRAME_HEADER


@on("sqlite")
@pytest.mark.needs("strace")
@pytest.mark.parametrize("kind", ["grpc", "json"])
def test_p04_each_acknowledgement_follows_a_flush_of_the_log(
    serving: Serving, tmp_path: Path, kind: str
) -> None:
    trace = tmp_path / "trace"
    server = serving(wrapper=[*COMMAND, f"--output={trace}", "--"])
    alfa, _ = make_agents(server, "alfa", "bravo")
    door = server.door(kind)
    sent = [door.call("SendMail", alfa, to="bravo", body=f"{n}").mail.id for n in range(500)]
    assert server.stop() == 0
    lines = trace.read_text().splitlines()
    shown = order(lines)
    assert shown.flushed == sent
    assert shown.unflushed == []
    # The same trace without its flushes must not pass.
    assert order(without_flushes(lines)).unflushed == sent


@on("sqlite")
def test_p04_a_log_cut_anywhere_after_an_acknowledgement_still_holds_the_mail(
    serving: Serving, database_url: str, tmp_path: Path
) -> None:
    path = sqlite_path(database_url)
    cuts = 0
    for number in range(soak_rounds(1)):
        server = serving()
        sizes = _send_and_measure(server, path, number)
        server.kill()
        cuts += _cut_everywhere(path, tmp_path / "cut.db", sizes)
    print(f"{cuts} cuts")
    assert cuts >= 100 * soak_rounds(1)


def _send_and_measure(server: Server, path: Path, round_number: int) -> dict[str, int]:
    """Send mail one by one; returns how long the log was when each was acknowledged."""
    alfa, _ = make_agents(server, f"alfa{round_number}", f"bravo{round_number}")
    log = path.with_name(f"{path.name}-wal")
    sizes = {}
    for number in range(30):
        door = server.door(("grpc", "json")[number % 2])
        mail = door.call("SendMail", alfa, to=f"bravo{round_number}", body=f"{number}").mail
        sizes[mail.id] = log.stat().st_size
    return sizes


def _cut_everywhere(path: Path, copy: Path, sizes: dict[str, int]) -> int:
    """Cut the log at each frame and look for all that was acknowledged by then."""
    log = path.with_name(f"{path.name}-wal").read_bytes()
    first = min(sizes.values())
    places = range(LOG_HEADER + (first - LOG_HEADER) // FRAME * FRAME, len(log) + 1, FRAME // 2)
    for place in places:
        shutil.copyfile(path, copy)
        copy.with_name(f"{copy.name}-wal").write_bytes(log[:place])
        copy.with_name(f"{copy.name}-shm").unlink(missing_ok=True)
        with closing(sqlite3.connect(copy)) as connection:
            stored = {str(row[0]) for row in connection.execute("SELECT id FROM mail")}
        assert {id for id, size in sizes.items() if size <= place} <= stored
    return len(places)
