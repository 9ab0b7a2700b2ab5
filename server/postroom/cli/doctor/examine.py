"""All checks, one after another."""

import os
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

from postroom import logins
from postroom.cli.doctor import facts, files, identity, mcp_configs, proxies, server, setup, storage
from postroom.cli.doctor.finding import Finding, Level, of_error, ok, problem
from postroom.cli.environment import (
    DEFAULT_URL,
    TOKEN_FILE,
    UNIX,
    Client,
    certificates,
    client,
    is_here,
    proof,
)
from postroom.cli.environment import proxies as proxy_variables
from postroom.cli.environment import server as server_url
from postroom.cli.failure import Failure
from postroom.settings import BadSetting, Settings, load
from postroom.storage.glance import known_schema
from postroom.storage.open import POSTGRES_SCHEMES
from postroom.token import OPERATOR_FILE


def examine(overrides: Mapping[str, str]) -> Iterator[Finding]:
    """Every finding, the server's first. Overrides are settings of the server."""
    settings, bad = _settings(overrides)
    yield from bad
    url, found = _url()
    yield found
    answers = False
    trusted = not settings.require_auth
    if url:
        said = facts.page(_nobody(url), "healthz")
        yield (health := server.health(url, said))
        answers = health.level is Level.OK
    if url and answers:
        trusted = facts.is_trusted(_nobody(url))
        yield from _running(url, settings)
    token_file = list(_token_file())
    yield from token_file
    if url:
        found_bad = any(each.level is Level.PROBLEM for each in token_file)
        yield from _identity(is_answered=answers, is_told=found_bad)
    if not url or is_here(url):
        yield from _data(settings)
        on_socket = url.startswith(UNIX) or bool(settings.unix_socket and not answers)
        names = logins.on_this_machine()
        yield setup.neighbours(names, is_trusted=trusted, on_socket=on_socket)
    yield from _around(url or DEFAULT_URL, settings)


def _settings(overrides: Mapping[str, str]) -> tuple[Settings, list[Finding]]:
    try:
        return load(overrides), []
    except BadSetting as error:
        return Settings(), [of_error(error, "set it again, or unset it")]


def _url() -> tuple[str, Finding]:
    try:
        url = server_url()
    except Failure as failure:
        return "", problem(str(failure), f"set it, or unset it for {DEFAULT_URL}")
    return url, ok(f"the server's address is {url}")


def _nobody(url: str) -> Client:
    return Client(url, certificates=certificates())


def _running(url: str, settings: Settings) -> Iterator[Finding]:
    yield server.readiness(facts.page(_nobody(url), "readyz"))
    yield server.versions(version("postroom"), facts.page(_nobody(url), "openapi.json"))
    if url.startswith(UNIX):
        address = f"{url}.grpc"
    elif is_here(url) and not settings.grpc.endswith(":0"):
        address = settings.grpc
    else:
        return
    yield server.grpc_port(address, facts.listens(address))


def _token_file() -> Iterator[Finding]:
    in_variable, name = proof()
    if name and not in_variable:
        path = Path(name).absolute()
        yield files.secret(TOKEN_FILE, files.Entry.of(path), os.geteuid())
        yield from files.place(TOKEN_FILE, files.Entry.of(path.parent))


def _identity(*, is_answered: bool, is_told: bool) -> Iterator[Finding]:
    try:
        who = client()
    except Failure as failure:
        if not is_told:
            yield of_error(failure, "set it again, or unset it")
        return
    if is_answered:
        made = facts.call(who)
        id = "" if isinstance(made.said, Failure) else identity.agent_id(made)
        yield identity.caller(made, facts.agent(who, made, id) if id else None)


def _data(settings: Settings) -> Iterator[Finding]:
    folder = settings.data_path.absolute()
    me = os.geteuid()
    parents = [files.Entry.of(each) for each in folder.parents]
    yield from files.data_directory(files.Entry.of(folder), parents, me)
    token = files.Entry.of(folder / OPERATOR_FILE)
    if not token.error:
        yield files.secret("the operator's token", token, me)
    found = facts.schema(settings.database_url)
    yield storage.database(settings.database_url, found, known_schema())
    yield storage.room(*facts.free(folder))


def _around(url: str, settings: Settings) -> Iterator[Finding]:
    if not url.startswith(UNIX):
        yield proxies.proxies(proxy_variables(), urlsplit(url).hostname or "")
    yield from setup.extras(
        has_mcp=facts.has("mcp"),
        has_driver=facts.has("psycopg"),
        wants_driver=urlsplit(settings.database_url).scheme in POSTGRES_SCHEMES,
    )
    for config in facts.configs(Path.cwd()):
        yield from mcp_configs.check(config, url, facts.can_run)
