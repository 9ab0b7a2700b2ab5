import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import pytest

from postroom.cli.root import run
from postroom.cli.rpc import Methods
from postroom.rpc.contract import Contract, Spec, load

from . import kinds_contract
from .scripted import Scripted, running, sample


@dataclass(frozen=True)
class Ended:
    status: int
    out: bytes
    err: str


class Postroom(Protocol):
    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ended: ...


class Try(Protocol):
    def __call__(self, *flags: str, stdin: bytes = b"") -> Any: ...


class _Stdin(io.TextIOWrapper):
    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content), "utf-8")


@pytest.fixture(scope="session")
def contract() -> Contract:
    return load()


def unary(contract: Contract) -> list[Spec]:
    """The methods that are commands."""
    return [s for s in contract.specs if not (s.streams_requests or s.streams_responses)]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("POSTROOM_", "KOMRAD_")):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def only_server() -> Iterator[Scripted]:
    with running() as script:
        yield script


@pytest.fixture
def server(only_server: Scripted, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    only_server.asked.clear()
    monkeypatch.setenv("POSTROOM_URL", only_server.url)
    return only_server


@pytest.fixture
def postroom(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Postroom:
    def call(*arguments: str, stdin: bytes = b"") -> Ended:
        capsysbinary.readouterr()
        monkeypatch.setattr("sys.stdin", _Stdin(stdin))
        status = run(arguments)
        out, err = capsysbinary.readouterr()
        return Ended(status, out, err.decode())

    return call


@pytest.fixture
def words(contract: Contract, server: Scripted) -> list[str]:
    """The arguments that call some method, with the server ready to answer."""
    spec = unary(contract)[0]
    server.answer(sample(spec.output))
    return ["rpc", spec.kebab_name]


@pytest.fixture
def once(words: list[str], postroom: Postroom) -> Postroom:
    """Calls that method."""
    return partial(postroom, *words)


@pytest.fixture(scope="session")
def methods() -> Methods:
    return Methods(kinds_contract.contract(), name="rpc")


@pytest.fixture
def try_kinds(methods: Methods, server: Scripted, monkeypatch: pytest.MonkeyPatch) -> Try:
    """Calls a method that takes every kind of field; returns the request that was sent."""
    server.answer({"ok": True})

    def call(*flags: str, stdin: bytes = b"") -> Any:
        monkeypatch.setattr("sys.stdin", _Stdin(stdin))
        methods.main(["try-kinds", *flags], "rpc", standalone_mode=False)
        return server.request

    return call
