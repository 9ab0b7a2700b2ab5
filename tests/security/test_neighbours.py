"""A server that believes everybody warns of others who could reach it."""

import logging
from pathlib import Path
from typing import Any

import pytest

from postroom import opening
from postroom.exposure import judge
from postroom.settings import Settings


def told(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, names: list[str], **more: Any
) -> list[str]:
    settings = Settings(**more)
    monkeypatch.setattr("postroom.logins.on_this_machine", lambda: names)
    with caplog.at_level(logging.WARNING):
        opening.say_who_may_call(settings, judge(settings))
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


def test_others_who_can_log_in_are_named_in_one_line(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (line,) = told(caplog, monkeypatch, ["eve", "mallory"])
    assert "eve, mallory" in line
    assert "--unix-socket" in line


def test_alone_on_a_machine_there_is_nothing_to_warn_of(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told(caplog, monkeypatch, []) == []


def test_whoever_asks_for_proof_or_opens_no_port_is_not_warned(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert told(caplog, monkeypatch, ["eve"], require_auth=True) == []
    assert told(caplog, monkeypatch, ["eve"], unix_socket=str(tmp_path / "post")) == []
