"""`postroom mcp` as a client starts it."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.acceptance.server import NO_LIMITS, Server, ended, environment

NOWHERE = "http://127.0.0.1:9"
# The processes run the same code as the tests.
CODE = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("mcp")
    database = f"sqlite:///{folder / 'mail.db'}"
    with ended(Server(folder, database, settings=NO_LIMITS | CODE)) as server:
        yield server.start()


def started(folder: Path, era: str = "auto", *arguments: str, **variables: str) -> Client:
    """A client that starts the command."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "postroom", "mcp", *arguments],
        env=environment(folder) | CODE | variables,
    )
    return Client(command, mode=era)


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_two_agents_talk_through_a_running_server(
    running: Server, tmp_path: Path, era: str
) -> None:
    url = f"http://{running.http}"

    async def talk() -> Any:
        async with started(tmp_path, era, POSTROOM_URL=url) as operator:
            ids = [
                (
                    await operator.call_tool("create_agent", {"name": n, "workflow": era})
                ).structured_content["agent"]["id"]
                for n in ("alfa", "bravo")
            ]
        variables = {"POSTROOM_URL": url, "KOMRAD_AGENT_ID": ids[0]}
        async with (
            started(tmp_path, era, **variables) as alfa,
            started(tmp_path, era, POSTROOM_URL=url, POSTROOM_AGENT_ID=ids[1]) as bravo,
        ):
            wait = asyncio.create_task(bravo.call_tool("wait_for_mail", {"timeoutSeconds": 30}))
            sent = await alfa.call_tool("send_mail", {"to": ids[1], "body": "hello"})
            waited = await wait
            read = await bravo.call_tool("read_mail", {})
            refused = await bravo.call_tool("send_mail", {"to": "nobody", "body": "b"})
        return ids, sent, waited, read, refused

    ids, sent, waited, read, refused = asyncio.run(talk())
    assert sent.structured_content["mail"]["fromAgentId"] == ids[0]
    assert [mail["body"] for mail in waited.structured_content["mail"]] == ["hello"]
    assert read.structured_content["mail"][0]["id"] == sent.structured_content["mail"]["id"]
    assert refused.is_error
    assert refused.structured_content["reason"] == "AGENT_NOT_FOUND"


def test_when_nobody_answers_each_call_says_so(tmp_path: Path) -> None:
    async def ask() -> Any:
        async with started(tmp_path, POSTROOM_URL=NOWHERE) as client:
            return (await client.list_tools()).tools, await client.call_tool("list_mail", {})

    tools, result = asyncio.run(ask())
    assert "send_mail" in [tool.name for tool in tools]
    assert result.is_error
    assert "postroom serve" in result.structured_content["message"]


@pytest.mark.parametrize("how", ["flag", "variable"])
def test_when_nobody_answers_it_may_open_the_database_itself(tmp_path: Path, how: str) -> None:
    variables = {
        "POSTROOM_URL": NOWHERE,
        "POSTROOM_DATABASE_URL": f"sqlite:///{tmp_path / 'mail.db'}",
    }
    arguments = ["--embedded"] if how == "flag" else []
    if how == "variable":
        variables["POSTROOM_MCP_EMBEDDED"] = "1"

    async def ask() -> Any:
        async with started(tmp_path, "auto", *arguments, **variables) as client:
            await client.call_tool("create_agent", {"name": "alfa", "workflow": "main"})
            await client.call_tool("send_mail", {"to": "operator", "body": "to myself"})
            return await client.call_tool("list_agents", {})

    assert [a["name"] for a in asyncio.run(ask()).structured_content["agents"]] == ["alfa"]


def test_standard_output_carries_the_protocol_alone(tmp_path: Path) -> None:
    done = _run(tmp_path, json.dumps(INITIALIZE) + "\n" + "this is no JSON\n")
    for line in done.stdout.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "postroom"
    assert done.returncode == 0


def test_a_token_in_the_environment_is_never_written(tmp_path: Path) -> None:
    secret = f"prt_{'a' * 12}_{'b' * 43}"
    done = _run(tmp_path, json.dumps(INITIALIZE) + "\n", POSTROOM_TOKEN=secret)
    assert secret not in done.stdout + done.stderr


def test_a_bad_setting_ends_it_before_the_protocol_begins(tmp_path: Path) -> None:
    done = _run(tmp_path, "", POSTROOM_URL="nonsense")
    assert done.stdout == ""
    assert done.stderr.startswith("invalid_argument: POSTROOM_URL")
    done = _run(tmp_path, "", "--embedded", POSTROOM_URL=NOWHERE, POSTROOM_DATABASE_URL="x://y")
    assert (done.returncode, done.stdout) == (13, "")
    assert "invalid_argument: " in done.stderr


def test_without_the_library_it_says_what_to_install(tmp_path: Path) -> None:
    hide = "import sys; sys.modules['mcp'] = None; import importlib.util as u; "
    hide += "real = u.find_spec; u.find_spec = lambda n, *a: None if n == 'mcp' else real(n, *a); "
    code = hide + "from postroom.cli.root import run; sys.exit(run(['mcp']))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment(tmp_path) | CODE
    )
    assert done.returncode == 19
    assert "postroom[mcp]" in done.stderr


def _run(
    folder: Path, stdin: str, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "postroom", "mcp", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env=environment(folder) | CODE | {"POSTROOM_URL": NOWHERE} | variables,
    )
