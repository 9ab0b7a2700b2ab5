"""The command as a process, against a real server: cases C13 and C33."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

POSTROOM = [sys.executable, "-m", "postroom"]


@dataclass
class Server:
    process: subprocess.Popen[str]
    url: str

    def call(self, *arguments: str, folder: Path | str = "/", **more: Any) -> Any:
        environment = os.environ | {"POSTROOM_URL": self.url}
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
        command = [*POSTROOM, *arguments]
        return subprocess.run(
            command, cwd=folder, env=environment, check=False, text=True, **streams
        )

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("data")
    with (data / "log").open("w") as log:
        flags = ["--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data-dir", str(data)]
        command = [*POSTROOM, "serve", *flags]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdout
        server = Server(process, f"http://{_listener(process.stdout, 'http')}")
        try:
            yield server
        finally:
            server.stop()
            process.stdout.close()


def _listener(lines: IO[str], name: str) -> str:
    return next(line.split()[1] for line in lines if line.startswith(f"{name} "))


def test_a_closed_standard_output_is_told(room: Server) -> None:
    for closed, told in ((">&-", "unknown: cannot write the answer"), (">&- 2>&-", "")):
        ended = subprocess.run(
            ["sh", "-c", f'exec "$0" "$@" {closed}', *POSTROOM, "list"],
            env=os.environ | {"POSTROOM_URL": room.url},
            stderr=subprocess.PIPE,
            check=False,
            text=True,
        )
        assert (ended.returncode, ended.stderr[: len(told)]) == (1, told)
        assert ended.stderr.count("\n") == bool(told)


def test_c13_one_store_whatever_the_folder(room: Server, tmp_path: Path) -> None:
    made = json.loads(room.call("agent", "create", "Al_fa-1.x", "--workflow", "w").stdout)
    sent = json.loads(room.call("send", "Al_fa-1.x", "one", folder=tmp_path).stdout)
    listed = json.loads(room.call("list", "--id", made["agent"]["id"]).stdout)
    assert listed["mail"] == [sent["mail"]]
    shown = room.call("agent", "list", "--output", "table").stdout
    assert made["agent"]["id"] in shown


def test_refusals_of_the_server(room: Server) -> None:
    ended = room.call("send", "nobody", "one")
    assert (ended.returncode, ended.stdout) == (15, "")
    assert ended.stderr.startswith("not_found: ")
    ended = room.call("read", "--limit", "-1")
    assert ended.returncode == 13
    assert ended.stderr.startswith("invalid_argument: limit: ")


def test_a_reader_that_hangs_up_gets_no_traceback(room: Server) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    ended = room.call("list", stdout=theirs)
    os.close(theirs)
    assert (ended.returncode, ended.stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_an_answer_that_cannot_be_written(room: Server) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = room.call("list", stdout=full)
    assert ended.returncode == 1
    assert ended.stderr == "unknown: cannot write the answer: No space left on device\n"


def test_c33_nothing_is_shown_once_the_server_is_gone(room: Server) -> None:
    assert room.call("list").returncode == 0
    room.stop()
    ended = room.call("list")
    assert (ended.returncode, ended.stdout) == (24, "")
    assert ended.stderr.startswith(f"unavailable: cannot reach the server at {room.url};")
