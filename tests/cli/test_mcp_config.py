"""`postroom mcp config`: what is printed can be pasted, and holds no secret."""

import json
import tomllib
from typing import Any

import pytest

from postroom.cli.mcp import CLIENTS

from .conftest import Postroom
from .test_lazy import loaded

SECRET = f"prt_{'a' * 12}_{'b' * 43}"
LIBRARIES = {"mcp", "mcp_types", "httpx2", "pydantic", "starlette"}
KEYS = {"claude-code": "mcpServers", "cursor": "mcpServers", "generic": "mcpServers"}


def printed(postroom: Postroom, client: str, *flags: str) -> Any:
    ended = postroom("mcp", "config", "--client", client, *flags)
    assert (ended.status, ended.err) == (0, "")
    text = ended.out.decode()
    if client == "codex":
        return tomllib.loads(text)["mcp_servers"]["postroom"]
    return json.loads(text)[KEYS.get(client, "servers")]["postroom"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_command_to_start(postroom: Postroom, client: str) -> None:
    entry = printed(postroom, client, "--agent", "agt_1")
    assert entry["env"] == {"POSTROOM_AGENT_ID": "agt_1"}
    assert entry["args"][-1] == "mcp"
    assert entry["command"]
    assert entry.get("type", "stdio") == "stdio"


@pytest.mark.parametrize("client", CLIENTS)
def test_an_address_to_connect_to(
    postroom: Postroom, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTROOM_URL", "https://post.example:8787/")
    entry = printed(postroom, client, "--agent", "agt_1", "--http")
    headers = "http_headers" if client == "codex" else "headers"
    assert entry["url"] == "https://post.example:8787/mcp"
    assert entry[headers] == {"Postroom-Agent-Id": "agt_1"}
    assert entry.get("type", "http") == "http"


@pytest.mark.parametrize("client", CLIENTS)
def test_the_operator_names_nobody(postroom: Postroom, client: str) -> None:
    assert not {"env", "env_vars"} & printed(postroom, client).keys()
    entry = printed(postroom, client, "--http")
    assert not {"headers", "http_headers", "bearer_token_env_var"} & entry.keys()


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("flags", [(), ("--http",), ("--token",), ("--http", "--token")])
def test_a_token_is_only_referred_to(
    postroom: Postroom, client: str, flags: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTROOM_TOKEN", SECRET)
    whole = postroom("mcp", "config", "--client", client, *flags).out.decode()
    assert "aaaa" not in whole
    assert "bbbb" not in whole
    if client != "generic" or "--http" in flags:
        assert "POSTROOM_TOKEN" in whole


@pytest.mark.parametrize("client", CLIENTS)
def test_a_token_file_is_named_by_its_whole_path(
    postroom: Postroom, client: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").write_text(SECRET)
    wanted = {"POSTROOM_TOKEN_FILE": str(tmp_path / "t")}
    assert printed(postroom, client, "--token-file", "t")["env"] == wanted
    monkeypatch.setenv("POSTROOM_TOKEN_FILE", "t")
    assert printed(postroom, client)["env"] == wanted


def test_a_file_is_no_header(postroom: Postroom) -> None:
    ended = postroom("mcp", "config", "--client", "cursor", "--http", "--token-file", "t")
    assert ended.status == 2
    assert "--token" in ended.err


def test_the_variable_names_the_agent_too(
    postroom: Postroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOMRAD_AGENT_ID", "agt_7")
    assert printed(postroom, "codex")["env"] == {"POSTROOM_AGENT_ID": "agt_7"}


@pytest.mark.parametrize("words", [["--help"], ["mcp", "--help"], ["mcp", "config", "--help"]])
def test_help_does_not_load_the_library(words: list[str]) -> None:
    assert not loaded(*words) & LIBRARIES


def test_config_loads_no_library_either() -> None:
    assert not loaded("mcp", "config", "--client", "codex") & LIBRARIES


@pytest.mark.parametrize("client", CLIENTS)
def test_a_path_beyond_the_first_plane_of_letters_is_kept(postroom: Postroom, client: str) -> None:
    entry = printed(postroom, client, "--token-file", '/home/\N{ROCKET}/\x7f"é')
    assert entry["env"] == {"POSTROOM_TOKEN_FILE": '/home/\N{ROCKET}/\x7f"é'}


def test_a_unix_socket_is_no_address_for_a_client(
    postroom: Postroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTROOM_URL", "unix:/tmp/post")
    ended = postroom("mcp", "config", "--client", "generic", "--http")
    assert (ended.status, ended.out) == (2, b"")
    assert "leave --http out" in ended.err
    assert printed(postroom, "generic")["env"] == {"POSTROOM_URL": "unix:/tmp/post"}
