"""Unix sockets: no port is open, and the kernel says who calls."""

import http.client
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.doors import GrpcDoor
from tests.acceptance.server import Server
from tests.security.conftest import Serving

NOBODY = 65534


@pytest.fixture
def server(serving: Serving, folder: Path) -> Server:
    return serving(unix_socket=folder / "run/post")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that others could be let into; the usual ones are in one that they may not enter."""
    with tempfile.TemporaryDirectory(prefix="postroom-") as made:
        yield Path(made)


def ask(path: Path, host: str = "localhost") -> int:
    connection = http.client.HTTPConnection(host, timeout=5)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(path))
    headers = {"Content-Type": "application/json"}
    connection.request("POST", "/agent.v1.AgentService/ListMail", b"{}", headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_both_listeners_are_files_for_their_user_alone(server: Server, folder: Path) -> None:
    path = folder / "run/post"
    assert (server.grpc, server.http) == (f"unix:{path}.grpc", f"unix:{path}")
    assert path.parent.stat().st_mode & 0o777 == 0o700
    for each in (path, path.with_name("post.grpc")):
        assert each.stat().st_mode & 0o777 == 0o600
    door = GrpcDoor(server.grpc)
    assert door.call("CreateAgent", name="alfa", workflow="w").agent.name == "alfa"
    door.close()
    assert ask(path) == 200
    assert ask(path, "rebind.example") == 421


def test_a_stop_leaves_no_file_behind(server: Server, folder: Path) -> None:
    assert ask(folder / "run/post") == 200
    assert server.stop() == 0
    assert list((folder / "run").iterdir()) == []


def test_the_command_line_finds_it(server: Server, folder: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "postroom", "agent", "create", "alfa", "--workflow", "w", "--token"],
        check=True,
        capture_output=True,
        env=dict(os.environ) | {"POSTROOM_URL": server.http, "HOME": str(folder)},
        text=True,
    )
    assert '"token":"prt_' in found.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_user_is_turned_away_even_where_the_files_are_open(
    serving: Serving, open_folder: Path
) -> None:
    path = open_folder / "post"
    server = serving(unix_socket=path)
    for each, mode in ((open_folder, 0o755), (path, 0o666)):
        each.chmod(mode)
    code = (
        "import os, socket, sys; os.setuid(int(sys.argv[2])); "
        "link = socket.socket(socket.AF_UNIX); link.connect(sys.argv[1]); "
        "link.sendall(b'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n'); "
        "print(link.recv(100))"
    )
    mine, other = (
        subprocess.run(
            [sys.executable, "-c", code, str(path), str(user)],
            check=False,
            capture_output=True,
            text=True,
        )
        for user in (os.geteuid(), NOBODY)
    )
    assert "200 OK" in mine.stdout
    assert "200" not in other.stdout
    # It depends on how far it got when the connection was ended.
    ends = ("ConnectionResetError", "BrokenPipeError")
    assert other.stdout == "b''\n" or any(end in other.stderr for end in ends)
    assert server.is_alive()


def test_a_dead_servers_socket_is_taken_over_and_a_live_ones_is_not(
    server: Server, serving: Serving, folder: Path
) -> None:
    path = folder / "run/post"
    status, told = serving(wait=False, unix_socket=path).fail_to_start()
    assert status == 69
    assert f"unix:{path}" in told
    assert "POSTROOM_UNIX_SOCKET" in told
    server.kill()
    server.start()
    assert ask(path) == 200


def test_what_is_not_private_or_not_alone_is_refused(serving: Serving, folder: Path) -> None:
    (folder / "open").mkdir()
    (folder / "open").chmod(0o755)
    for setting, named in (
        ({"unix_socket": folder / "open/post"}, "chmod 700"),
        ({"unix_socket": folder / ("x" * 200)}, "choose a shorter path"),
        ({"unix_socket": folder / "a/post", "tls_cert": "x"}, "--tls-cert"),
        ({"unix_socket": folder / "a/post", "behind_proxy": "10.0.0.0/8"}, "--behind-proxy"),
    ):
        status, told = serving(wait=False, **setting).fail_to_start()
        assert status == 78
        assert named in told
