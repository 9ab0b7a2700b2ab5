"""Help comes fast, because it loads little."""

import subprocess
import sys

import pytest

from postroom.rpc.contract import Contract

from .conftest import unary

SHOW = """
import sys
from postroom.cli.root import run
assert run({words!r}) == 0
print("loaded", *{{name.partition(".")[0] for name in sys.modules}}, *sys.modules)
"""
SERVER = {"grpc", "peewee", "uvicorn", "uvloop", "psycopg", "platformdirs"}
CALL = {"http.client", "ssl", "postroom.cli.calling"}


def loaded(*words: str) -> set[str]:
    command = [sys.executable, "-c", SHOW.format(words=list(words))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["serve", "--help"]])
def test_what_calls_nothing_loads_no_contract(words: list[str]) -> None:
    assert not loaded(*words) & (SERVER | CALL | {"google.protobuf", "agent.v1", "postroom.rpc"})


def test_help_of_a_call_loads_the_contract_alone(contract: Contract) -> None:
    for words in (["rpc"], ["rpc", unary(contract)[0].kebab_name], ["send"]):
        found = loaded(*words, "--help")
        assert "postroom.rpc.contract" in found
        assert not found & (SERVER | CALL)


def test_version() -> None:
    command = [sys.executable, "-m", "postroom", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("postroom ")
