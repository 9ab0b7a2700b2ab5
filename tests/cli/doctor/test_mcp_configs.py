"""Settings of MCP clients: what is told of each, and never the token in it."""

import json
from typing import Any

import pytest

from postroom.cli.doctor.mcp_configs import PLACES, Config, check
from postroom.cli.environment import DEFAULT_URL
from postroom.cli.mcp import CLIENTS
from tests.cli.conftest import Postroom

SECRET = f"prt_{'a' * 12}_{'b' * 43}"


def levels(text: str, place: str = ".mcp.json", url: str = DEFAULT_URL, **more: Any) -> list[str]:
    config = Config(place, text, place, **more)
    found = check(config, url, lambda command: command == "postroom")
    assert not [each for each in found if "aaaa" in each.what + each.mend]
    assert all(each.mend for each in found if each.level != "ok")
    return [each.level.value for each in found]


def servers(**entry: Any) -> str:
    return json.dumps({"mcpServers": {"postroom": entry}})


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("flags", [(), ("--http",), ("--agent", "agt_1", "--token")])
def test_what_mcp_config_prints_is_good(
    postroom: Postroom, place: str, flags: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postroom.cli.snippet.command", lambda: ["postroom", "mcp"])
    client = PLACES[place][0]
    assert client in CLIENTS
    text = postroom("mcp", "config", "--client", client, *flags).out.decode()
    assert levels(text, place) == ["ok"]


def test_files_that_name_others_are_none_of_ours() -> None:
    assert levels('{"mcpServers": {"git": {"command": "gone", "args": ["x"]}}}') == []
    assert levels("{}") == levels("[]") == levels("no JSON") == levels('{"mcpServers": 3}') == []


def test_a_command_that_is_not_there_is_told_by_whatever_name() -> None:
    assert levels(servers(command="/gone/postroom", args=["mcp"])) == ["problem"]
    named = {"mail": {"command": "python9", "args": ["-m", "postroom", "mcp"]}}
    assert levels(json.dumps({"mcpServers": named})) == ["problem"]
    assert levels(servers(command="${HOME}/bin/postroom")) == ["ok"]


def test_another_address_is_told_without_its_password() -> None:
    assert levels(servers(url="http://127.0.0.1:9999/mcp")) == ["warning"]
    assert levels(servers(url=DEFAULT_URL)) == ["warning"]
    assert levels(servers(url="${POST}/mcp")) == ["ok"]
    other = servers(command="postroom", env={"POSTROOM_URL": "http://user:aaaa@host:1"})
    assert levels(other) == ["warning"]
    assert levels(servers(command="postroom", env={"POSTROOM_URL": f"{DEFAULT_URL}/"})) == ["ok"]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (".mcp.json", servers(command="postroom", env={"POSTROOM_TOKEN": SECRET})),
        (
            ".cursor/mcp.json",
            servers(url=f"{DEFAULT_URL}/mcp", headers={"Authorization": f"Bearer {SECRET}"}),
        ),
        (
            ".codex/config.toml",
            f'[mcp_servers.postroom]\ncommand = "postroom"\n[other]\nkey = "{SECRET}"',
        ),
    ],
)
def test_a_token_in_clear_is_a_problem_where_git_could_commit_it(place: str, text: str) -> None:
    assert levels(text, place) == ["warning"]
    assert levels(text, place, is_in_work_tree=True) == ["problem"]


def test_a_file_that_cannot_be_read_is_told_and_still_searched_for_tokens() -> None:
    text = f'{{"servers": {{ // mine\n "postroom": {{"env": "{SECRET}"}} }}}}'
    assert levels(text, ".vscode/mcp.json", is_in_work_tree=True) == ["warning", "problem"]
    assert levels("[mcp_servers.postroom", ".codex/config.toml") == ["warning"]
