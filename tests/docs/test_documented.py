"""What a person reads is true, and what can be set or called is written down."""

from dataclasses import fields
from pathlib import Path

import pytest

from postroom.rpc.comments import comments
from postroom.settings import Settings, variable
from tests.room import CONTRACT

ROOT = Path(__file__).parents[2]


def test_every_setting_stands_in_the_docs_with_its_variable_default_and_meaning() -> None:
    rows = [
        f"| `{each.name}` | `{variable(each.name)}` | `{_shown(each.default)}` | "
        f"{each.metadata['doc']} |"
        for each in fields(Settings)
    ]
    table = [
        line
        for line in (ROOT / "docs/settings.md").read_text().splitlines()
        if line.startswith("| `")
    ]
    assert table == rows


def test_a_secret_setting_is_not_shown() -> None:
    assert "hidden" not in repr(Settings(database="postgresql://user:hidden@host/name"))


@pytest.mark.parametrize("spec", CONTRACT.specs, ids=lambda spec: spec.name)
def test_every_method_and_field_says_what_it_is(spec: object) -> None:
    names = [spec.full_name.replace("/", ".")]  # type: ignore[attr-defined]
    names += [field.full_name for field in spec.input.fields]  # type: ignore[attr-defined]
    names += [field.full_name for field in spec.output.fields]  # type: ignore[attr-defined]
    assert not [name for name in names if not CONTRACT.docs.get(name)]
    assert comments.__doc__


@pytest.mark.parametrize("command", ["make run", "make test"])
def test_the_readme_names_its_two_commands(command: str) -> None:
    assert f"\n{command}\n" in (ROOT / "README.md").read_text()


def _shown(default: object) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default) or '""'
