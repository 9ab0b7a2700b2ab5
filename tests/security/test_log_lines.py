"""Whatever happens, the log holds one JSON object a line and nothing else."""

import json
import socket

import pytest

from tests.security.certificates import Authority
from tests.security.conftest import Serving

# What strangers send to a port that speaks TLS; gRPC's core tells of each by itself.
STRANGERS = [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\x05hello", b""]


def _knock(address: str, data: bytes) -> None:
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), 10) as link, link.makefile("rwb") as file:
        file.write(data)
        file.flush()
        link.shutdown(socket.SHUT_WR)
        # Read until the server has had enough, so that it has seen everything.
        try:
            while file.read(1024):
                pass
        except ConnectionResetError:
            return


@pytest.mark.program("openssl")
def test_strangers_at_both_ports_leave_nothing_but_json(
    serving: Serving, authority: Authority
) -> None:
    pair = authority.sign()
    server = serving(tls_cert=pair.certificate, tls_key=pair.key, log_level="debug")
    for address in (server.grpc, server.http):
        for data in STRANGERS:
            _knock(address, data)
    assert server.stop() == 0
    lines = server.log().splitlines()
    assert lines
    assert all(json.loads(line)["message"] for line in lines)
