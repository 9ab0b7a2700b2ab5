"""S2: a server that others could reach starts only when it is safe, and else opens no port."""

import socket
from pathlib import Path

import pytest

from postroom.exposure import Exposed, hosts, judge
from postroom.listen import Address, BadAddress, address
from postroom.settings import Settings
from tests import postgres
from tests.acceptance.doors import http_get
from tests.security.certificates import Authority
from tests.security.conftest import Serving, operator_file

BEYOND = ["0.0.0.0", "[::]", "*", "", "::ffff:10.0.0.1", "10.0.0.1", "192.0.2.7", "[fe80::1]"]


def is_closed(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.parametrize("host", BEYOND)
@pytest.mark.parametrize("option", ["grpc", "http"])
def test_beyond_loopback_without_tls_is_refused(host: str, option: str) -> None:
    settings = Settings(grpc=f"{host}:1") if option == "grpc" else Settings(http=f"{host}:1")
    with pytest.raises(Exposed) as refused:
        judge(settings)
    for word in (f"--{option}", "--tls-cert", "--tls-key", "--behind-proxy"):
        assert word in str(refused.value)


@pytest.mark.parametrize(
    ("host", "literal"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.9.9.9", "127.9.9.9"),
        ("[::1]", "::1"),
        ("::1", "::1"),
        ("localhost", "127.0.0.1"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
    ],
)
def test_loopback_is_loopback_however_it_is_written(host: str, literal: str) -> None:
    found = address(f"{host}:5", "--grpc")
    assert (found.host, found.is_loopback) == (literal, True)


def test_the_meaning_of_a_name_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"lan": "10.0.0.9", "here": "127.0.0.1"}

    def resolve(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        if host not in answers:
            raise OSError
        return [(2, 1, 6, "", (answers[host], 0))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert judge(Settings(http="here:1")).http == Address("127.0.0.1", 1)
    with pytest.raises(Exposed):
        judge(Settings(http="lan:1"))
    with pytest.raises(BadAddress, match="cannot be resolved"):
        judge(Settings(http="nowhere:1"))


def test_a_server_that_is_refused_ends_with_78_and_has_opened_nothing(
    serving: Serving, folder: Path
) -> None:
    port = postgres.free_port()
    for setting in ({"http": f"0.0.0.0:{port}"}, {"grpc": f"[::]:{port}"}, {"grpc": f"*:{port}"}):
        status, told = serving(wait=False, **setting).fail_to_start()
        assert status == 78
        assert told.count("\n") == 1
        assert "--tls-cert" in told
        assert is_closed(port)
    assert not (folder / "mail.db").exists()


@pytest.mark.program("openssl")
@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"tls_key": ""}, "--tls-cert needs --tls-key"),
        ({"tls_cert": ""}, "--tls-key needs --tls-cert"),
        ({"tls_key": "", "tls_cert": "", "client_ca": "x"}, "--client-ca needs --tls-cert"),
        ({"tls_cert": "/nowhere"}, "--tls-cert /nowhere cannot be read"),
        ({"client_ca": "/nowhere"}, "--client-ca /nowhere cannot be read"),
        (
            {"tls_cert": "", "tls_key": "", "behind_proxy": "10.0.0.7"},
            "--behind-proxy needs --host",
        ),
        ({"behind_proxy": "10.0.0.7/8", "host": "x"}, "--behind-proxy must be a network"),
        ({"behind_proxy": "10.0.0.7,0.0.0.0/0", "host": "x"}, "names every address"),
        ({"behind_proxy": "::/0", "host": "x"}, "names every address"),
    ],
)
def test_what_is_missing_is_named(
    serving: Serving, authority: Authority, change: dict[str, str], named: str
) -> None:
    pair = authority.sign()
    given = {"http": "0.0.0.0:0", "tls_cert": str(pair.certificate), "tls_key": str(pair.key)}
    status, told = serving(wait=False, **(given | change)).fail_to_start()
    assert (status, told.count("\n")) == (78, 1)
    assert named in told


@pytest.mark.program("openssl")
def test_a_key_that_others_can_read_or_that_does_not_fit_is_refused(
    serving: Serving, authority: Authority
) -> None:
    pair, other = authority.sign(), authority.sign()
    pair.key.chmod(0o644)
    given = {"http": "0.0.0.0:0", "tls_cert": str(pair.certificate), "tls_key": str(pair.key)}
    status, told = serving(wait=False, **given).fail_to_start()
    assert status == 78
    assert f"--tls-key {pair.key} is open to other users; run: chmod 600 {pair.key}" in told
    status, told = serving(wait=False, **(given | {"tls_key": str(other.key)})).fail_to_start()
    assert status == 78
    assert "do not fit together" in told


@pytest.mark.program("openssl")
def test_without_an_operators_token_nothing_is_exposed(
    serving: Serving, authority: Authority, folder: Path
) -> None:
    pair, data = authority.sign(), folder / "data"
    data.mkdir()
    data.chmod(0o777)
    port = postgres.free_port()
    status, told = serving(
        wait=False,
        http=f"0.0.0.0:{port}",
        tls_cert=pair.certificate,
        tls_key=pair.key,
        data_dir=data,
    ).fail_to_start()
    assert status == 78
    assert "--data-dir" in told
    assert is_closed(port)


def test_on_loopback_the_server_says_in_one_line_that_it_trusts(
    serving: Serving, folder: Path
) -> None:
    server = serving()
    server.stop()
    (line,) = [line for line in server.log().splitlines() if "loopback trust" in line]
    assert "--require-auth" in line
    assert operator_file(folder).stat().st_mode & 0o777 == 0o600


def test_c63_the_server_knows_its_own_names() -> None:
    own = hosts(judge(Settings(http="127.0.0.1:1")), Address("127.0.0.1", 8787))
    assert own == {"127.0.0.1:8787", "localhost:8787", "[::1]:8787"}
    given = Settings(http="[::1]:1", host="post.example, other.example:9")
    own = hosts(judge(given), Address("::1", 8787))
    assert own >= {"[::1]:8787", "localhost:8787", "post.example:8787", "post.example"}
    assert "other.example:9" in own
    assert "other.example" not in own


def test_reflection_is_there_where_the_server_trusts_or_when_it_is_asked_for(
    serving: Serving,
) -> None:
    assert _reflects(serving().grpc)
    assert not _reflects(serving(require_auth="true").grpc)
    assert _reflects(serving(require_auth="true", reflection="true").grpc)
    assert http_get(serving(reflection="false").http, "/healthz").status == 200


def _reflects(grpc_address: str) -> bool:
    from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
        ProtoReflectionDescriptorDatabase,
    )

    from tests.acceptance.doors import open_channel

    channel = open_channel(grpc_address)
    try:
        found = ProtoReflectionDescriptorDatabase(channel).get_services()
    except Exception:
        return False
    finally:
        channel.close()
    return "agent.v1.AgentService" in found
