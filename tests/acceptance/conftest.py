"""Fixtures: real servers, load on them, and what a machine has to have for a test."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import postgres
from tests.acceptance.load import Load
from tests.acceptance.sandbox import ENTER
from tests.acceptance.server import Server
from tests.leaving_out import leave_out

Serving = Callable[..., Server]
Loads = Callable[..., Load]

_NEEDS: dict[str, Callable[[], bool]] = {
    "soak": lambda: bool(os.environ.get("POSTROOM_SOAK")),
    "strace": lambda: shutil.which("strace") is not None and _runs("strace", "-o", "/dev/null"),
    "curl": lambda: shutil.which("curl") is not None,
    "mounts": lambda: shutil.which("unshare") is not None and _runs(*ENTER),
}
_WHY = {
    "soak": "POSTROOM_SOAK is not set",
    "strace": "strace is missing or may not trace",
    "curl": "curl is missing",
    "mounts": "unshare is missing or may not make mounts of its own",
}


def on(*kinds: str) -> pytest.MarkDecorator:
    """Run a test on these stores only."""
    return pytest.mark.parametrize("store_kind", kinds)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "needs(what): left out, and said so, where it is missing")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what this machine or this run cannot do."""
    needed = {name for item in items for name in _needs(item)}
    missing = [name for name in _NEEDS if name in needed and not _NEEDS[name]()]
    for name in missing:
        leave_out(config, items, [item for item in items if name in _needs(item)], _WHY[name])


def _needs(item: pytest.Item) -> set[str]:
    return {str(mark.args[0]) for mark in item.iter_markers("needs")}


def _runs(*command: str) -> bool:
    return subprocess.run([*command, "true"], check=False, capture_output=True).returncode == 0


@pytest.fixture
def serving(database_url: str, tmp_path: Path) -> Iterator[Serving]:
    """Starts servers on the test's database; all have ended when the test has."""
    started: list[Server] = []

    def start(database: str = database_url, **more: Any) -> Server:
        started.append(Server(tmp_path, database, **more))
        return started[-1].start()

    yield start
    for server in started:
        server.end()
    for server in started:
        assert "Traceback" not in server.log(), server.log()


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Loads]:
    """Makes loads; all client processes have ended when the test has."""
    made: list[Load] = []

    def make(name: str = "load") -> Load:
        made.append(Load(tmp_path, name))
        return made[-1]

    yield make
    for one in made:
        one.end()


@pytest.fixture(scope="session")
def _kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, str], Server]]:
    servers: dict[str, Server] = {}
    with contextlib.ExitStack() as stack:

        def keep(kind: str, database: str) -> Server:
            if kind not in servers:
                folder = tmp_path_factory.mktemp(f"kept-{kind}")
                url = database or f"sqlite:///{folder / 'mail.db'}"
                servers[kind] = Server(folder, url)
                stack.callback(servers[kind].end)
                servers[kind].start()
            return servers[kind]

        yield keep
    for server in servers.values():
        assert "Traceback" not in server.log(), server.log()


@pytest.fixture
def kept(
    store_kind: str, _kept: Callable[[str, str], Server], request: pytest.FixtureRequest
) -> Server:
    """A server that many tests share, because they leave it as it was."""
    database = ""
    if store_kind == "postgres":
        database = request.getfixturevalue("kept_database")
    return _kept(store_kind, database)


@pytest.fixture(scope="session")
def kept_database(postgres_server: postgres.Server) -> str:
    """The URL of the shared server's database."""
    return postgres_server.new_database("kept")


@pytest.fixture
def own_postgres(postgres_server: postgres.Server) -> Iterator[postgres.Server]:
    """A PostgreSQL that a test may do anything to."""
    with postgres.running(postgres_server.binaries) as server:
        yield server
