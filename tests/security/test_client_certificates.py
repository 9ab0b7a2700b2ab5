"""The command line and `postroom mcp` show a certificate, and trust whom they are told to."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from postroom.cli.environment import Certificates, Client
from postroom.cli.remote import RemoteDoor
from postroom.rpc.door import Incoming, Outgoing
from tests.acceptance.server import Server
from tests.room import CONTRACT
from tests.security.certificates import Authority, Pair
from tests.security.conftest import Serving, operator_file

pytestmark = pytest.mark.program("openssl")
SECONDS = 30.0
Call = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def server(serving: Serving, authority: Authority) -> Server:
    pair = authority.sign()
    return serving(tls_cert=pair.certificate, tls_key=pair.key, client_ca=authority.certificate)


@pytest.fixture
def call(server: Server, authority: Authority, folder: Path) -> Call:
    """Runs a command with a certificate, or without any."""

    def run(*words: str, shown: Pair | None = None, **variables: str) -> Any:
        known = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "POSTROOM_URL": f"https://{server.http}",
            "POSTROOM_SERVER_CA": str(authority.certificate),
        }
        if shown:
            known["POSTROOM_CLIENT_CERT"] = str(shown.certificate)
            known["POSTROOM_CLIENT_KEY"] = str(shown.key)
        command = [sys.executable, "-m", "postroom", *words]
        pipes: Any = {"capture_output": True, "text": True, "timeout": SECONDS}
        return subprocess.run(command, env=known | variables, check=False, **pipes)

    return run


def test_a_certificate_names_the_agent_in_every_command(
    call: Call, authority: Authority, server: Server, folder: Path
) -> None:
    anybody = authority.sign("DNS:somebody")
    operator = {"POSTROOM_TOKEN_FILE": str(operator_file(folder))}
    made = call("agent", "create", "alfa", "--workflow", "w", shown=anybody, **operator)
    agent = json.loads(made.stdout)["agent"]["id"]
    assert call("send", "alfa", "one", shown=anybody, **operator).returncode == 0
    alfa = authority.sign(f"URI:urn:postroom:agent:{agent}")
    waited = call("wait", "--timeout", "60", shown=alfa)
    assert [mail["body"] for mail in json.loads(waited.stdout)["mail"]] == ["one"]
    told = json.loads(call("doctor", "--json", shown=alfa).stdout)["findings"]
    assert f"you call as alfa ({agent}), " in "\n".join(each["what"] for each in told)
    files = Certificates(str(authority.certificate), str(alfa.certificate), str(alfa.key))
    assert asyncio.run(_listed(Client(f"https://{server.http}", certificates=files))) == ["one"]


def test_a_key_may_stand_in_the_certificates_file(
    call: Call, authority: Authority, folder: Path
) -> None:
    pair = authority.sign("DNS:somebody")
    both = folder / "both.pem"
    both.write_bytes(pair.certificate.read_bytes() + pair.key.read_bytes())
    both.chmod(0o600)
    shown = {"POSTROOM_CLIENT_CERT": str(both)}
    ended = call("list", **shown, POSTROOM_TOKEN_FILE=str(operator_file(folder)))
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("command", [("list",), ("wait",)])
def test_without_a_certificate_the_variable_is_named(call: Call, command: tuple[str]) -> None:
    ended = call(*command)
    assert ended.returncode == 24
    assert "POSTROOM_CLIENT_CERT" in ended.stderr


def test_a_server_that_nobody_vouches_for_is_not_spoken_to(
    call: Call, authority: Authority, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = Authority(tmp_path_factory.mktemp("other"))
    shown = authority.sign("DNS:somebody")
    ended = call("wait", shown=shown, POSTROOM_SERVER_CA=str(other.certificate))
    assert ended.returncode == 24
    assert "is not accepted: " in ended.stderr
    assert "POSTROOM_SERVER_CA" in ended.stderr


def test_files_that_cannot_be_used_are_named(
    call: Call, authority: Authority, folder: Path
) -> None:
    pair, other = authority.sign("DNS:a"), authority.sign("DNS:b")
    open_key = folder / "open.key"
    open_key.write_bytes(pair.key.read_bytes())
    open_key.chmod(0o644)
    for variables, told in (
        ({"POSTROOM_CLIENT_KEY": str(open_key)}, f"run: chmod 600 {open_key}"),
        ({"POSTROOM_CLIENT_KEY": str(other.key)}, "cannot be used"),
        ({"POSTROOM_CLIENT_CERT": str(folder / "gone")}, "No such file"),
        ({"POSTROOM_CLIENT_CERT": ""}, "POSTROOM_CLIENT_KEY needs POSTROOM_CLIENT_CERT"),
        ({"POSTROOM_SERVER_CA": str(pair.key)}, "give a PEM file"),
        ({"POSTROOM_SERVER_CA": str(folder / "gone")}, "No such file"),
    ):
        ended = call("list", shown=pair, **variables)
        assert (ended.returncode, ended.stdout) == (13, "")
        assert told in ended.stderr


def test_the_settings_of_an_mcp_client_name_the_files_too(call: Call, authority: Authority) -> None:
    pair = authority.sign("DNS:a")
    printed = call("mcp", "config", "--client", "cursor", shown=pair).stdout
    variables = json.loads(printed)["mcpServers"]["postroom"]["env"]
    assert variables["POSTROOM_CLIENT_CERT"] == str(pair.certificate)
    assert variables["POSTROOM_CLIENT_KEY"] == str(pair.key)
    assert variables["POSTROOM_SERVER_CA"] == str(authority.certificate)


async def _listed(client: Client) -> list[str]:
    spec = next(spec for spec in CONTRACT.specs if spec.name == "ListMail")
    async with RemoteDoor(CONTRACT.specs, client) as door:
        answer: Any = await door.call(spec, spec.request_class(), Incoming(()), Outgoing())
    return [mail.body for mail in answer.mail]
