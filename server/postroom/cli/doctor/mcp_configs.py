"""Settings of MCP clients in a project that name postroom."""

import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from postroom import token
from postroom.cli.doctor.finding import Finding, ok, problem, warning
from postroom.cli.environment import URL

# Where clients look in a project, what `mcp config` calls them, and the key that lists servers.
PLACES = {
    ".mcp.json": ("claude-code", "mcpServers"),
    ".cursor/mcp.json": ("cursor", "mcpServers"),
    ".vscode/mcp.json": ("vscode", "servers"),
    ".codex/config.toml": ("codex", "mcp_servers"),
}
_NAME = "postroom"


@dataclass(frozen=True, slots=True)
class Config:
    """A settings file: which one, its text, its path, and whether Git could commit it."""

    place: str
    text: str
    path: str
    is_in_work_tree: bool = False


def check(config: Config, url: str, can_run: Callable[[str], bool]) -> list[Finding]:
    """Judge one file; no findings where it does not name postroom."""
    try:
        entries = dict(_entries(config))
    except (ValueError, RecursionError):
        return _unreadable(config)
    if not entries:
        return []
    found = [each for name, entry in entries.items() for each in _entry(name, entry, url, can_run)]
    told = [Finding(each.level, f"{config.path}: {each.what}", each.mend) for each in found]
    told += _clear_token(config)
    return told or [ok(f"{config.path} starts or reaches postroom")]


def _entries(config: Config) -> Iterator[tuple[str, dict[str, Any]]]:
    is_toml = config.place.endswith(".toml")
    whole: Any = tomllib.loads(config.text) if is_toml else json.loads(config.text)
    servers = whole.get(PLACES[config.place][1]) if isinstance(whole, dict) else None
    for name, entry in (servers if isinstance(servers, dict) else {}).items():
        if isinstance(entry, dict) and _is_ours(name, entry):
            yield name, entry


def _is_ours(name: str, entry: dict[str, Any]) -> bool:
    words = [str(entry.get("command", "")), *map(str, _list(entry.get("args")))]
    return _NAME in name.lower() or any(PurePath(word).name == _NAME for word in words)


def _entry(
    name: str, entry: dict[str, Any], url: str, can_run: Callable[[str], bool]
) -> Iterator[Finding]:
    command = entry.get("command")
    if isinstance(command, str) and "$" not in command and not can_run(command):
        told = f"{name!r} starts {command!r}, which is not there or cannot be run"
        yield problem(told, "paste again what `postroom mcp config` prints")
    if isinstance(entry.get("url"), str):
        yield from _address(name, entry["url"], f"{url}/mcp")
    variables = entry.get("env")
    if isinstance(variables, dict) and isinstance(variables.get(URL), str):
        yield from _address(name, variables[URL].rstrip("/"), url)


def _address(name: str, given: str, wanted: str) -> Iterator[Finding]:
    if "$" in given or given == wanted:
        return
    # Shown without user and password, which an address may hold.
    try:
        parts = urlsplit(given)
        shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    except ValueError:
        shown = "an address that is none"
    yield warning(
        f"{name!r} goes to {shown}, and this command's server would be {wanted}",
        f"set the same address there and in {URL}",
    )


def _clear_token(config: Config) -> list[Finding]:
    if not token.is_in(config.text):
        return []
    mend = f"revoke it and paste what `postroom mcp config --client {PLACES[config.place][0]} "
    mend += "--token` prints, which only refers to it"
    if config.is_in_work_tree:
        told = f"{config.path} holds a token in clear, in a Git work tree"
        return [problem(told, mend)]
    return [warning(f"{config.path} holds a token in clear", mend)]


def _unreadable(config: Config) -> list[Finding]:
    if _NAME not in config.text:
        return []
    kind = "TOML" if config.place.endswith(".toml") else "JSON"
    told = f"{config.path} names postroom and is not plain {kind}, so it was not checked"
    return [warning(told, "see that its client can read it"), *_clear_token(config)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
