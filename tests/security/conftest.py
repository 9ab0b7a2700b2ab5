"""Fixtures: real servers, certificates, and what a machine has to have for a test."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.server import Server
from tests.leaving_out import leave_out
from tests.security.certificates import Authority

Serving = Callable[..., Server]
# A server runs the code that the tests import.
_SAME_CODE = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "program(name): left out, and said so, where it is missing")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs a program that is not there."""
    marks = {mark.args[0] for item in items for mark in item.iter_markers("program")}
    for name in sorted(name for name in marks if shutil.which(name) is None):
        needing = [
            item for item in items if name in {m.args[0] for m in item.iter_markers("program")}
        ]
        leave_out(config, items, needing, f"{name} was not found")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The home of a server's user, on which nothing is set up."""
    return tmp_path


@pytest.fixture
def serving(folder: Path) -> Iterator[Serving]:
    """Starts servers on one database; all have ended when the test has."""
    started: list[Server] = []

    def start(*, wait: bool = True, **given: Any) -> Server:
        asked = {name: given.pop(name) for name in ("grpc", "http") if name in given}
        settings = {f"POSTROOM_{key.upper()}": str(value) for key, value in given.items()}
        url = f"sqlite:///{folder / 'mail.db'}"
        started.append(Server(folder, url, settings=settings | _SAME_CODE, **asked))
        return started[-1].start() if wait else started[-1]

    yield start
    for server in started:
        server.end()
    for server in started:
        assert "Traceback" not in server.log(), server.log()


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Whoever signs the certificates of the tests."""
    return Authority(tmp_path_factory.mktemp("authority"))


def operator_file(folder: Path) -> Path:
    """Where a server that was told nothing keeps the operator's token."""
    return folder / ".local/share/postroom/operator.token"
