"""docs/cli.md tells what is so."""

from pathlib import Path

import pytest
from click import Context

from postroom.cli import environment, failure
from postroom.cli.forms import COMMANDS, GROUPS
from postroom.cli.root import root

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", failure.CODES[1:])
def test_every_status_is_listed(code: str) -> None:
    assert f"| {failure.exit_status(code)} | `{code}`" in PAGE


def test_every_variable_is_listed() -> None:
    names = [environment.URL, environment.TOKEN, environment.TOKEN_FILE]
    names += [environment.SERVER_CA, environment.CLIENT_CERT, environment.CLIENT_KEY]
    for name in (*names, environment.AGENT_ID, environment.SEED_AGENT_ID):
        assert f"| `{name}` |" in PAGE
    assert environment.DEFAULT_URL in PAGE


def test_every_command_is_listed() -> None:
    group = root()
    forms = {**COMMANDS, **{f"{k} {n}": f for k, v in GROUPS.items() for n, f in v.items()}}
    for name in group.list_commands(Context(group)):
        assert f"`postroom {name}" in PAGE
    for name, form in forms.items():
        assert name in PAGE
        assert form.method in PAGE
