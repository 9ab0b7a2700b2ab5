"""TLS on both listeners, certificates of clients, and certificates that change."""

import signal
import socket
import ssl
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.polling import eventually
from tests.acceptance.server import Server
from tests.security.certificates import Authority, Pair
from tests.security.conftest import Serving, operator_file
from tests.security.secure import ask_grpc, ask_https, context, refused, secure_channel

pytestmark = pytest.mark.program("openssl")


def local(address: str) -> str:
    """An address of all interfaces, on this one."""
    return address.replace("0.0.0.0", "127.0.0.1")


def exposed(serving: Serving, pair: Pair, **more: Any) -> Server:
    """A server that listens everywhere."""
    return serving(
        grpc="0.0.0.0:0", http="0.0.0.0:0", tls_cert=pair.certificate, tls_key=pair.key, **more
    )


def test_s1_beyond_loopback_nobody_is_believed_without_a_token(
    serving: Serving, authority: Authority, folder: Path
) -> None:
    server = exposed(serving, authority.sign())
    trusted, operator = context(authority), operator_file(folder).read_text().strip()
    status, told = ask_https(local(server.http), trusted, "ListMail")
    assert (status, told["details"][0]["reason"]) == (401, "TOKEN_REQUIRED")
    status, told = ask_https(local(server.http), trusted, "ListMail", Postroom_Agent_Id="operator")
    assert status == 401
    assert ask_https(local(server.http), trusted, "ListMail", operator)[0] == 200
    channel = secure_channel(local(server.grpc), authority)
    assert refused(channel, "ListMail") == "UNAUTHENTICATED TOKEN_REQUIRED"
    assert ask_grpc(channel, "ListMail", operator) is not None
    channel.close()


def test_the_address_that_was_called_is_a_good_host_and_a_name_is_not(
    serving: Serving, authority: Authority, folder: Path
) -> None:
    server = exposed(serving, authority.sign(), host="post.example")
    trusted, operator = context(authority), operator_file(folder).read_text().strip()
    port = server.http.rpartition(":")[2]
    for host, status in (
        (f"127.0.0.1:{port}", 200),
        (f"post.example:{port}", 200),
        ("post.example", 200),
        (f"evil.example:{port}", 421),
        (f"10.0.0.1:{port}", 421),
        (f"0.0.0.0:{port}", 200),
    ):
        assert ask_https(local(server.http), trusted, "ListMail", operator, Host=host)[0] == status


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_old_tls_and_plain_text_are_not_spoken(
    serving: Serving, authority: Authority, version: ssl.TLSVersion
) -> None:
    server = exposed(serving, authority.sign())
    trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusted.load_verify_locations(authority.certificate)
    with pytest.warns(DeprecationWarning, match="deprecated"):
        trusted.minimum_version = trusted.maximum_version = version
    trusted.set_ciphers("DEFAULT:@SECLEVEL=0")
    for address in (server.http, server.grpc):
        host, _, port = local(address).rpartition(":")
        with socket.create_connection((host, int(port)), 5) as link, pytest.raises(ssl.SSLError):
            trusted.wrap_socket(link, server_hostname="localhost")
        with socket.create_connection((host, int(port)), 5) as link:
            link.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert not link.recv(100).startswith(b"HTTP/1.1 200")


def test_a_new_certificate_is_taken_up_at_a_hangup_and_a_bad_one_is_not(
    serving: Serving, authority: Authority, folder: Path
) -> None:
    pair, newer = authority.sign(), authority.sign()
    mine = Pair(folder / "server.pem", folder / "server.key")
    _copy(pair, mine)
    server = exposed(serving, mine)
    first = [_shown(server.http), _shown(server.grpc)]
    mine.certificate.write_text("no certificate")
    server.process.send_signal(signal.SIGHUP)
    eventually(lambda: "stays as it was" in server.log(), 5, "the bad one is told")
    assert [_shown(server.http), _shown(server.grpc)] == first
    _copy(newer, mine)
    server.process.send_signal(signal.SIGHUP)
    eventually(lambda: "was read again" in server.log(), 5, "the new one is told")
    changed = [_shown(server.http), _shown(server.grpc)]
    assert changed[0] == changed[1] != first[0]


def test_a_clients_certificate_names_the_agent_and_must_agree_with_all_else(
    serving: Serving, authority: Authority, folder: Path
) -> None:
    pair = authority.sign()
    server = exposed(serving, pair, client_ca=authority.certificate)
    operator = operator_file(folder).read_text().strip()
    plain = authority.sign("DNS:somebody")
    alfa = _agent(server, authority, plain, operator, "alfa")
    bravo = _agent(server, authority, plain, operator, "bravo")
    for uri in (f"spiffe://example.org/agent/{alfa}", f"urn:postroom:agent:{alfa}"):
        client = authority.sign(f"URI:{uri}")
        channel = secure_channel(local(server.grpc), authority, client)
        assert ask_grpc(channel, "ListMail") is not None
        assert ask_grpc(channel, "ListMail", agent_id=alfa) is not None
        for given in ({"agent_id": bravo}, {"token": operator}):
            assert refused(channel, "ListMail", **given) == "PERMISSION_DENIED IDENTITY_MISMATCH"
        channel.close()
        trusted = context(authority, client)
        assert ask_https(local(server.http), trusted, "ListMail")[0] == 200
        assert ask_https(local(server.http), trusted, "ListMail", operator)[0] == 403
        told = ask_https(local(server.http), trusted, "ListMail", Postroom_Agent_Id=bravo)
        assert told[0] == 403


def test_certificates_that_prove_nobody_and_none_at_all_are_refused(
    serving: Serving, authority: Authority, tmp_path_factory: pytest.TempPathFactory
) -> None:
    server = exposed(serving, authority.sign(), client_ca=authority.certificate)
    reasons = {
        "DNS:agt_1": "UNAUTHENTICATED TOKEN_REQUIRED",
        "URI:https://example.org/agent/agt_1": "UNAUTHENTICATED TOKEN_REQUIRED",
        "URI:spiffe://x/agent/operator": "UNAUTHENTICATED CALLER_UNKNOWN",
        "URI:urn:postroom:agent:agt_nobody": "UNAUTHENTICATED CALLER_UNKNOWN",
        "URI:urn:postroom:agent:a,URI:spiffe://x/agent/b": "INVALID_ARGUMENT AMBIGUOUS_CREDENTIAL",
    }
    for names, reason in reasons.items():
        channel = secure_channel(local(server.grpc), authority, authority.sign(names))
        assert refused(channel, "ListMail") == reason
        channel.close()
    stranger = Authority(tmp_path_factory.mktemp("stranger")).sign("URI:urn:postroom:agent:a")
    for client in (None, stranger):
        channel = secure_channel(local(server.grpc), authority, client)
        assert refused(channel, "ListMail").startswith("UNAVAILABLE")
        channel.close()
        with pytest.raises((ssl.SSLError, ConnectionError)):
            ask_https(local(server.http), context(authority, client), "ListMail")


def _agent(server: Server, authority: Authority, plain: Pair, operator: str, name: str) -> str:
    from agent.v1.agent_service_pb2 import CreateAgentRequest, CreateAgentResponse

    channel = secure_channel(local(server.grpc), authority, plain)
    request = CreateAgentRequest(name=name, workflow="w").SerializeToString()
    call: Any = channel.unary_unary("/agent.v1.AgentService/CreateAgent")
    answer = call(request, timeout=10, metadata=[("authorization", f"Bearer {operator}")])
    channel.close()
    return str(CreateAgentResponse.FromString(answer).agent.id)


def _copy(source: Pair, target: Pair) -> None:
    target.certificate.write_bytes(source.certificate.read_bytes())
    target.key.write_bytes(source.key.read_bytes())
    target.key.chmod(0o600)


def _shown(address: str) -> str:
    host, _, port = local(address).rpartition(":")
    return ssl.get_server_certificate((host, int(port)), timeout=5)
