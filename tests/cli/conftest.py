import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import pytest

from postroom.cli.root import run
from postroom.rpc.contract import Contract, Spec, load

from .scripted import Scripted, running, sample


@dataclass(frozen=True)
class Ended:
    status: int
    out: bytes
    err: str


class Postroom(Protocol):
    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ended: ...


class _Stdin(io.TextIOWrapper):
    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content), "utf-8")


@pytest.fixture(scope="session")
def contract() -> Contract:
    return load()


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
def writer(contract: Contract) -> Spec:
    """A method with a required text that it keeps to a limit, whatever it is called."""
    return next(
        spec
        for spec in contract.specs
        if any(
            f.required and f.is_text and f.max_characters and not f.repeated for f in spec.fields
        )
    )


@pytest.fixture
def words(writer: Spec, server: Scripted) -> list[str]:
    """The arguments that call it, with the server ready to answer."""
    server.answer(sample(writer.output))
    return ["rpc", writer.kebab_name]
