"""What to paste into an MCP client's settings. No token ever stands in it."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click

from postroom.cli.environment import (
    AGENT_ID,
    CLIENT_CERT,
    CLIENT_KEY,
    DEFAULT_URL,
    SERVER_CA,
    TOKEN,
    TOKEN_FILE,
    UNIX,
    URL,
    Certificates,
    agent_id,
    certificates,
    proof,
    server,
)

_NAME: Final = "postroom"
_HEADER: Final = "Postroom-Agent-Id"
# Longer than wait_for_mail waits when it is not told how long.
_CODEX_SECONDS: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """Who calls, over what, and where the proof is kept."""

    agent: str
    over_http: bool
    url: str
    has_token: bool = False
    token_file: str = ""
    certificates: Certificates = field(default_factory=Certificates)

    @classmethod
    def read(cls, agent: str, over_http: bool, with_token: bool, token_file: str) -> "SetUp":
        """Fill in what the variables say. Raises UsageError for what does not go together."""
        is_set, in_file = proof()
        chosen = token_file or ("" if over_http else in_file)
        if token_file and over_http:
            told = "a header cannot name a file; use --token and put the token into POSTROOM_TOKEN"
            raise click.UsageError(told)
        url = server()
        if over_http and url.startswith(UNIX):
            told = (
                f"a client cannot connect to {url}; leave --http out, so that it starts a command"
            )
            raise click.UsageError(told)
        return cls(
            agent=agent or agent_id(),
            over_http=over_http,
            url=url,
            has_token=not chosen and (with_token or is_set or bool(in_file)),
            token_file=_whole(chosen),
            certificates=certificates(),
        )

    def environment(self, refer: str) -> dict[str, str]:
        """The variables of the command; `refer` is the client's way to name one of its own."""
        found = {
            AGENT_ID: self.agent,
            TOKEN_FILE: self.token_file,
            SERVER_CA: _whole(self.certificates.server_ca),
            CLIENT_CERT: _whole(self.certificates.certificate),
            CLIENT_KEY: _whole(self.certificates.key),
        }
        if self.url != DEFAULT_URL:
            found[URL] = self.url
        if self.has_token and refer:
            found[TOKEN] = refer
        return {name: text for name, text in found.items() if text}

    def headers(self, refer: str) -> dict[str, str]:
        """The headers of a request to /mcp."""
        found = {_HEADER: self.agent} if self.agent else {}
        if self.has_token and refer:
            found["Authorization"] = f"Bearer {refer}"
        return found


def _whole(path: str) -> str:
    """A path that means the same wherever the client runs."""
    return str(Path(path).absolute()) if path else ""


def snippet(program: str, set_up: SetUp) -> str:
    """The text for a client, with a comment that says where it goes."""
    return _WRITERS[program](set_up)


def command() -> list[str]:
    """The command that starts the tools, from wherever the client runs."""
    found = shutil.which(_NAME)
    if found and Path(found).resolve().parent == Path(sys.executable).resolve().parent:
        return [_NAME, "mcp"]
    beside = Path(sys.executable).parent / _NAME
    if os.access(beside, os.X_OK):
        return [str(beside), "mcp"]
    return [sys.executable, "-m", "postroom", "mcp"]


def _claude_code(set_up: SetUp) -> str:
    # Without a default an unset variable would arrive as this very text; empty is unset here.
    if set_up.over_http:
        entry = _remote(set_up, f"${{{TOKEN}}}", type="http")
    else:
        entry = _local(set_up, f"${{{TOKEN}:-}}", type="stdio")
    return _json("mcpServers", entry)


def _cursor(set_up: SetUp) -> str:
    make = _remote if set_up.over_http else _local
    return _json("mcpServers", make(set_up, f"${{env:{TOKEN}}}"))


def _vscode(set_up: SetUp) -> str:
    asked = "postroom-token"
    refer = f"${{input:{asked}}}"
    make, kind = (_remote, "http") if set_up.over_http else (_local, "stdio")
    whole: dict[str, Any] = {"servers": {_NAME: make(set_up, refer, type=kind)}}
    if set_up.has_token:
        prompt = {"type": "promptString", "id": asked, "description": TOKEN, "password": True}
        whole["inputs"] = [prompt]
    return json.dumps(whole, indent=2)


def _generic(set_up: SetUp) -> str:
    # Without a way to refer to a variable: most clients hand on their own environment.
    make = _remote if set_up.over_http else _local
    refer = f"${{{TOKEN}}}" if set_up.over_http else ""
    return _json("mcpServers", make(set_up, refer))


def _codex(set_up: SetUp) -> str:
    lines = [f"[mcp_servers.{_NAME}]"]
    if set_up.over_http:
        lines.append(f"url = {_toml(f'{set_up.url}/mcp')}")
        if set_up.has_token:
            lines.append(f"bearer_token_env_var = {_toml(TOKEN)}")
        lines += _table("http_headers", set_up.headers(""))
    else:
        program, *arguments = command()
        listed = ", ".join(map(_toml, arguments))
        lines += [f"command = {_toml(program)}", f"args = [{listed}]"]
        if set_up.has_token:
            lines.append(f"env_vars = [{_toml(TOKEN)}]")
        lines += _table("env", set_up.environment(""))
    return "\n".join([*lines, f"tool_timeout_sec = {_CODEX_SECONDS}"])


def _table(name: str, values: dict[str, str]) -> list[str]:
    inner = ", ".join(f"{_toml(key)} = {_toml(text)}" for key, text in values.items())
    return [f"{name} = {{ {inner} }}"] if values else []


def _local(set_up: SetUp, refer: str, **more: str) -> dict[str, Any]:
    program, *arguments = command()
    entry: dict[str, Any] = {**more, "command": program, "args": arguments}
    variables = set_up.environment(refer)
    return entry | ({"env": variables} if variables else {})


def _remote(set_up: SetUp, refer: str, **more: str) -> dict[str, Any]:
    entry: dict[str, Any] = {**more, "url": f"{set_up.url}/mcp"}
    headers = set_up.headers(refer)
    return entry | ({"headers": headers} if headers else {})


def _json(key: str, entry: dict[str, Any]) -> str:
    return json.dumps({key: {_NAME: entry}}, indent=2)


def _toml(text: str) -> str:
    # A basic string of TOML escapes as JSON does, but for halves of pairs and for this one.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


_WRITERS: Final[dict[str, Callable[[SetUp], str]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "cursor": _cursor,
    "vscode": _vscode,
    "generic": _generic,
}
