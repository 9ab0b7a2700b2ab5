"""`postroom wait` as a process, against a real server that is stopped under it."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.polling import eventually
from tests.acceptance.server import Server, environment

POSTROOM = [sys.executable, "-m", "postroom"]
SECONDS = 20.0
_ESTABLISHED = "01"
Serve = Callable[..., Server]
Call = Callable[..., Any]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts servers on one database."""
    started: list[Server] = []

    def start(**more: Any) -> Server:
        started.append(Server(tmp_path, f"sqlite:///{tmp_path / 'mail.db'}", **more))
        return started[-1].start()

    yield start
    for server in started:
        server.end()


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Starts `postroom wait`, or another command."""
    started: list[subprocess.Popen[str]] = []

    def start(server: Server, *arguments: str, **variables: str) -> "subprocess.Popen[str]":
        own = environment(tmp_path) | {"POSTROOM_URL": f"http://{server.http}"} | variables
        command = [*POSTROOM, *(arguments or ("wait",))]
        pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, env=own, **pipes))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def answer(process: "subprocess.Popen[str]") -> Any:
    out, told = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, told
    return json.loads(out)


def is_called(server: Server) -> bool:
    """Whether a client is connected to the HTTP listener."""
    port = f":{int(server.http.rpartition(':')[2]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(row[2].endswith(port) and row[3] == _ESTABLISHED for row in rows)


def alfa_of(server: Server, waiting: Call) -> dict[str, str]:
    """The variables of a new agent."""
    made = answer(waiting(server, "agent", "create", "alfa", "--workflow", "w"))
    return {"POSTROOM_AGENT_ID": made["agent"]["id"]}


def test_nothing_came_and_then_something_does(serve: Serve, waiting: Call) -> None:
    server = serve()
    alfa = alfa_of(server, waiting)
    process = waiting(server, "wait", "--timeout", "1", **alfa)
    out, told = process.communicate(timeout=SECONDS)
    assert (process.returncode, out) == (75, "")
    assert told == "deadline_exceeded: no mail came within 1 s\n"
    answer(waiting(server, "send", "alfa", "one"))
    first, again = (answer(waiting(server, **alfa)) for _ in range(2))
    assert [mail["body"] for mail in first["mail"]] == ["one"]
    assert first == again, "nothing was claimed"


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the system lists no connections")
def test_a_wait_outlives_its_server(serve: Serve, waiting: Call) -> None:
    server = serve()
    process = waiting(server, **alfa_of(server, waiting))
    eventually(lambda: is_called(server), SECONDS, "the wait has begun")
    assert server.stop() == 0
    told = process.stderr.readline()
    assert told.startswith("warning: trying until the server answers again: ")
    newer = serve(http=server.http)
    answer(waiting(newer, "send", "alfa", "back"))
    assert [mail["body"] for mail in answer(process)["mail"]] == ["back"]


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the system lists no connections")
def test_an_interrupt_ends_it(serve: Serve, waiting: Call) -> None:
    server = serve()
    process = waiting(server)
    eventually(lambda: is_called(server), SECONDS, "the wait has begun")
    process.send_signal(signal.SIGINT)
    out, told = process.communicate(timeout=SECONDS)
    assert (process.returncode, out, told) == (130, "", "cancelled: interrupted\n")


def test_the_line_for_a_hook_of_a_coding_agent_does_what_the_page_says(
    serve: Serve, waiting: Call, tmp_path: Path
) -> None:
    page = (Path(__file__).parents[2] / "docs/cli.md").read_text()
    line = json.loads(page.partition("```json\n")[2].partition("```")[0])
    command = line["hooks"]["Stop"][0]["hooks"][0]["command"].replace("540", "1")
    script = f'postroom() {{ "{sys.executable}" -m postroom "$@"; }}\n'
    server = serve()
    own = environment(tmp_path) | {"POSTROOM_URL": f"http://{server.http}"}
    alfa = alfa_of(server, waiting)["POSTROOM_AGENT_ID"]

    def run(text: str) -> "subprocess.CompletedProcess[str]":
        pipes: Any = {"capture_output": True, "text": True, "timeout": SECONDS}
        return subprocess.run(["sh", "-c", script + text], env=own, check=False, **pipes)

    called = f"export POSTROOM_AGENT_ID={alfa}; {command}"
    assert run(called).returncode == 0
    assert run("postroom send alfa 'Do as I say!'").returncode == 0
    ended = run(called)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "Mail waits for you: take it with read_mail.\n"
