"""Ports: a taken one is refused, an open one stays on this machine, all come back."""

import contextlib
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.conftest import Serving, on
from tests.acceptance.load import soak_rounds
from tests.acceptance.polling import figure
from tests.acceptance.server import ANY_PORT, Server, ended
from tests.postgres import free_port

# On a busy machine one attempt may be slow.
ATTEMPTS = 3
REFUSED_SECONDS, READY_SECONDS = figure(2.0), figure(2.0)
EX_CONFIG = 78
# The state as /proc/net/tcp writes it.
LISTEN = "0A"
BEYOND = ("0.0.0.0", "[::]", "*", "", "192.0.2.7", "[2001:db8::7]", "169.254.0.1")


def _fail(folder: Path, url: str, grpc: str, http: str) -> tuple[int, str, float]:
    """Start a server that must not start; its status, its line and how long it took."""
    for _ in range(ATTEMPTS):
        begun = time.monotonic()
        with ended(Server(folder, url, grpc=grpc, http=http)) as server:
            status, said = server.fail_to_start()
        assert said.count("\n") == 1, said
        if (seconds := time.monotonic() - begun) <= REFUSED_SECONDS:
            break
    return status, said, seconds


@on("sqlite")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("setting", ["grpc", "http"])
def test_p45_c37_a_port_that_a_server_uses_is_refused_to_the_next(
    kept: Server, tmp_path: Path, setting: str, host: str
) -> None:
    taken = getattr(kept, setting).rpartition(":")[2]
    addresses = {"grpc": ANY_PORT, "http": ANY_PORT, setting: f"{host}:{taken}"}
    status, said, seconds = _fail(tmp_path, f"sqlite:///{tmp_path / 'second.db'}", **addresses)
    assert status != 0
    assert seconds <= REFUSED_SECONDS
    assert taken in said
    assert f"--{setting}" in said
    assert f"POSTROOM_{setting.upper()}" in said
    assert not (tmp_path / "second.db").exists()


@pytest.mark.parametrize("setting", ["grpc", "http"])
def test_p45_a_port_that_another_program_uses_is_refused(
    tmp_path: Path, stranger: str, setting: str
) -> None:
    addresses = {"grpc": ANY_PORT, "http": ANY_PORT, setting: stranger}
    status, said, seconds = _fail(tmp_path, f"sqlite:///{tmp_path / 'mail.db'}", **addresses)
    assert status != 0
    assert seconds <= REFUSED_SECONDS
    assert stranger in said


@pytest.fixture
def stranger() -> Iterator[str]:
    """The address of another program's port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize(
    ("setting", "host"),
    [*(("grpc", host) for host in BEYOND), ("http", "0.0.0.0"), ("http", "[::]")],
)
def test_p45_an_address_that_others_can_reach_is_refused_before_any_port_is_open(
    tmp_path: Path, setting: str, host: str
) -> None:
    port = free_port()
    addresses = {"grpc": ANY_PORT, "http": ANY_PORT, setting: f"{host}:{port}"}
    path = tmp_path / "mail.db"
    status, said, _ = _fail(tmp_path, f"sqlite:///{path}", **addresses)
    assert status == EX_CONFIG
    assert "127.0.0.1" in said
    assert not path.exists()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 1.0)


@pytest.mark.parametrize("text", ["127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "nowhere.invalid:1"])
def test_p45_an_address_that_is_none_is_refused_by_name(tmp_path: Path, text: str) -> None:
    status, said, _ = _fail(tmp_path, f"sqlite:///{tmp_path / 'mail.db'}", text, ANY_PORT)
    assert status == EX_CONFIG
    assert "--grpc" in said


def test_both_listeners_are_on_loopback_only(kept: Server) -> None:
    ports = {int(address.rpartition(":")[2]) for address in (kept.grpc, kept.http)}
    found = dict(_listening(kept.pid))
    assert found.keys() == ports
    # gRPC asks for an IPv4 address in IPv6 form.
    assert set(found.values()) <= {"0100007F", "0000000000000000FFFF00000100007F"}


def _listening(pid: int) -> Iterator[tuple[int, str]]:
    """The ports that a process listens on, each with its address as the kernel writes it."""
    links = list(_open_files(pid))
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            address, port = fields[1].split(":")
            if fields[3] == LISTEN and f"socket:[{fields[9]}]" in links:
                yield int(port, 16), address


def _open_files(pid: int) -> Iterator[str]:
    for link in Path(f"/proc/{pid}/fd").iterdir():
        # The process runs on and may close one that was just listed.
        with contextlib.suppress(FileNotFoundError):
            yield str(link.readlink())


@on("sqlite")
def test_p46_a_server_starts_and_stops_many_times_on_the_same_ports(serving: Serving) -> None:
    grpc, http = (f"127.0.0.1:{free_port()}" for _ in range(2))
    server = serving(grpc=grpc, http=http)
    slowest = 0.0
    for _ in range(soak_rounds(10)):
        server.door("json").call("ListMail")
        assert server.stop() == 0
        server.start()
        slowest = max(slowest, server.start_seconds)
        assert server.is_ready()
    print(f"slowest start {slowest:.2f} s")
    assert slowest <= READY_SECONDS
    # But for what is so of the machine: who else has an account on it.
    warned = re.findall(r'"level":"(?:warning|error)".*', server.log())
    assert [line for line in warned if "others can log in" not in line] == []


@pytest.mark.parametrize("closed", ["0<&-", "2>&-", "0<&- 2>&-"])
def test_a_server_serves_without_a_standard_file(tmp_path: Path, closed: str) -> None:
    shell = ("sh", "-c", f'exec "$0" "$@" {closed}')
    database = f"sqlite:///{tmp_path / 'post.db'}"
    with ended(Server(tmp_path, database, wrapper=shell)) as server:
        server.start()
        assert server.door("json").call("ListMail").mail == []
        assert server.stop() == 0
