"""`postroom serve` hands on the options that were given, and nothing else."""

import sys
from dataclasses import fields
from types import ModuleType

import pytest

from postroom.cli.serve import OPTIONS, Option
from postroom.settings import Settings, variable

from .conftest import Postroom

Overrides = dict[str, str]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Overrides]:
    seen: list[Overrides] = []

    def run(settings_overrides: Overrides) -> int:
        seen.append(settings_overrides)
        return 7 if settings_overrides else 0

    module = ModuleType("postroom.serve")
    module.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "postroom.serve", module)
    return seen


def test_nothing_given(runs: list[Overrides], postroom: Postroom) -> None:
    assert postroom("serve").status == 0
    assert runs == [{}]


def test_everything_given(runs: list[Overrides], postroom: Postroom) -> None:
    words = [word for option in OPTIONS for word in _given(option)]
    assert postroom("serve", *words).status == 7
    assert runs == [
        {
            "grpc": "value of --grpc",
            "http": "value of --http",
            "unix_socket": "value of --unix-socket",
            "database": "value of --database",
            "data_dir": "value of --data-dir",
            "require_auth": "True",
            "tls_cert": "value of --tls-cert",
            "tls_key": "value of --tls-key",
            "client_ca": "value of --client-ca",
            "behind_proxy": "value of --behind-proxy",
            "host": "value of --host",
            "metrics": "value of --metrics",
            "log_level": "value of --log-level",
            "log_calls": "value of --log-calls",
        }
    ]


def test_a_list_is_given_one_by_one(runs: list[Overrides], postroom: Postroom) -> None:
    postroom("serve", "--host", "one.example", "--host", "two.example")
    assert runs == [{"host": "one.example,two.example"}]


def _given(option: Option) -> list[str]:
    return [option.flag] if option.is_switch else [option.flag, f"value of {option.flag}"]


def test_help_agrees_with_the_settings(postroom: Postroom) -> None:
    shown = " ".join(postroom("serve", "--help").out.decode().split())
    defaults = {field.name: field.default for field in fields(Settings)}
    for option in OPTIONS:
        name = option.flag.removeprefix("--").replace("-", "_")
        assert option.variable == variable(name)
        assert option.default == (defaults[name] or option.default)
        assert f"[{option.variable}; default: {option.default}]" in shown
