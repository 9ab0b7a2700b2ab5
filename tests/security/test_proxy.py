"""Behind a proxy: plain text from there alone, and its word on who calls."""

import http.client
import ipaddress
import json
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from postroom.errors import Forbidden
from postroom.surfaces.peer import host_of, only_from
from tests.acceptance.doors import open_channel
from tests.security.conftest import Serving, operator_file
from tests.security.secure import ask_grpc, refused

PATH = "/agent.v1.AgentService/ListMail"


def ask(address: str, token: str = "", **headers: str) -> tuple[int, Any]:
    told = {"Content-Type": "application/json", "Host": "post.example"}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        told["Authorization"] = f"Bearer {token}"
    connection = http.client.HTTPConnection(address, timeout=5)
    connection.request("POST", PATH, b"{}", told)
    response = connection.getresponse()
    found = json.loads(response.read())
    connection.close()
    details = found.get("details")
    return response.status, details[0]["reason"] if details else ""


def test_a_proxy_on_this_machine_speaks_for_others_and_nobody_is_trusted(
    serving: Serving, folder: Path
) -> None:
    server = serving(behind_proxy="127.0.0.1/32", host="post.example")
    operator = operator_file(folder).read_text().strip()
    assert ask(server.http) == (401, "TOKEN_REQUIRED")
    assert ask(server.http, operator) == (200, "")
    forwarded = {"X_Forwarded_For": "1.2.3.4", "X_Forwarded_Proto": "https"}
    assert ask(server.http, operator, **forwarded) == (200, "")
    origin = {"Origin": "https://post.example"}
    assert ask(server.http, operator, **forwarded, **origin) == (200, "")
    assert ask(server.http, operator, Host="evil.example") == (421, "BAD_HOST")
    for _ in range(20):
        assert ask(server.http, "prt_bad", **forwarded) == (401, "TOKEN_INVALID")
    assert ask(server.http, "prt_bad", **forwarded) == (429, "AUTH_THROTTLED")
    assert ask(server.http, "prt_bad", X_Forwarded_For="1.2.3.5") == (401, "TOKEN_INVALID")
    assert ask(server.http, operator, **forwarded) == (200, "")


def test_from_elsewhere_plain_text_is_refused_on_both_ports(serving: Serving, folder: Path) -> None:
    here = _own_address()
    if here.startswith("127."):
        pytest.skip("this machine has no address but loopback")
    server = serving(
        grpc="0.0.0.0:0", http="0.0.0.0:0", behind_proxy="198.51.100.0/24", host="post.example"
    )
    operator = operator_file(folder).read_text().strip()
    http_port, grpc_port = (address.rpartition(":")[2] for address in (server.http, server.grpc))
    assert ask(f"{here}:{http_port}", operator) == (403, "NOT_THE_PROXY")
    assert ask(f"127.0.0.1:{http_port}", operator) == (200, "")
    beyond, own = open_channel(f"{here}:{grpc_port}"), open_channel(f"127.0.0.1:{grpc_port}")
    assert refused(beyond, "ListMail", token=operator) == "PERMISSION_DENIED NOT_THE_PROXY"
    assert ask_grpc(own, "ListMail", operator) is not None
    beyond.close()
    own.close()


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:10.0.0.1:55", "10.0.0.1"),
        ("ipv6:%5B::1%5D:55", "::1"),
        ("ipv6:[fd00::7]:55", "fd00::7"),
        ("unix:", ""),
        ("unix:/run/post", ""),
        ("", ""),
    ],
)
def test_a_peers_address_is_read_from_its_name(peer: str, host: str) -> None:
    assert host_of(peer) == host


@pytest.mark.parametrize(
    ("peer", "passes"),
    [
        ("ipv4:10.0.0.1:55", True),
        ("ipv6:%5B::ffff:10.0.0.1%5D:55", True),
        ("ipv4:127.0.0.1:55", True),
        ("ipv4:10.0.1.1:55", False),
        ("ipv6:%5Bfd00::7%5D:55", False),
        ("unix:/run/post", False),
    ],
)
def test_only_the_proxys_network_and_this_machine_pass(peer: str, passes: bool) -> None:
    admit = only_from((ipaddress.ip_network("10.0.0.0/24"),))
    context = SimpleNamespace(peer=lambda: peer)
    if passes:
        admit(context)
    else:
        with pytest.raises(Forbidden):
            admit(context)


def _own_address() -> str:
    """An address of this machine that others could reach, else loopback; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
