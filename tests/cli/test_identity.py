"""Who calls, and how that is proven: cases C17 and C19."""

import os
from pathlib import Path

import pytest

from postroom.cli.root import root
from postroom.rpc.contract import Contract

from .conftest import Postroom, unary
from .scripted import Scripted

TOKEN = "prt_0123456789ab_" + "s" * 43


def headers(server: Scripted) -> dict[str, str]:
    (asked,) = server.asked
    return {k: v for k, v in asked.headers.items() if k in {"Postroom-Agent-Id", "Authorization"}}


@pytest.mark.parametrize(
    ("variables", "sent"),
    [
        ({}, {}),
        ({"POSTROOM_AGENT_ID": "agt_1"}, {"Postroom-Agent-Id": "agt_1"}),
        ({"KOMRAD_AGENT_ID": "agt_2"}, {"Postroom-Agent-Id": "agt_2"}),
        ({"POSTROOM_AGENT_ID": "", "KOMRAD_AGENT_ID": "agt_2"}, {"Postroom-Agent-Id": "agt_2"}),
        ({"POSTROOM_AGENT_ID": "a", "KOMRAD_AGENT_ID": "b"}, {"Postroom-Agent-Id": "a"}),
        ({"POSTROOM_AGENTID": "agt_1", "KOMRAD_AGENT": "agt_1"}, {}),
        ({"POSTROOM_TOKEN": f"{TOKEN}\n"}, {"Authorization": f"Bearer {TOKEN}"}),
        (
            {"POSTROOM_TOKEN": TOKEN, "POSTROOM_AGENT_ID": "agt_other"},
            {"Authorization": f"Bearer {TOKEN}", "Postroom-Agent-Id": "agt_other"},
        ),
    ],
)
def test_c17_variables_name_the_caller(
    once: Postroom,
    server: Scripted,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    sent: dict[str, str],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert once().status == 0
    assert headers(server) == sent


@pytest.fixture
def token_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "token"
    path.write_text(f"{TOKEN}\n")
    path.chmod(0o600)
    monkeypatch.setenv("POSTROOM_TOKEN_FILE", str(path))
    return path


@pytest.mark.usefixtures("token_file")
def test_c19_token_file(words: list[str], server: Scripted, postroom: Postroom) -> None:
    ended = postroom(*words)
    assert ended.status == 0
    assert headers(server) == {"Authorization": f"Bearer {TOKEN}"}
    assert TOKEN not in ended.out.decode() + ended.err


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o666, 0o620])
def test_a_file_open_to_others_is_refused(
    words: list[str], server: Scripted, postroom: Postroom, token_file: Path, mode: int
) -> None:
    token_file.chmod(mode)
    ended = postroom(*words)
    assert ended.status == 26
    assert ended.err == (
        f"unauthenticated: the token file {token_file} is open to other users; "
        f"run: chmod 600 {token_file}\n"
    )
    assert not server.asked


def test_what_is_no_token_file_is_refused(
    words: list[str], server: Scripted, postroom: Postroom, token_file: Path
) -> None:
    token_file.write_text("")
    assert "holds no token" in postroom(*words).err
    token_file.unlink()
    assert "cannot read the token file" in postroom(*words).err
    os.mkfifo(token_file, 0o600)
    assert "is not a plain file" in postroom(*words).err
    assert not server.asked


@pytest.mark.parametrize("value", [f"{TOKEN}\r\nX-Other: 1", f"{TOKEN} more", f"{TOKEN}é", " "])
def test_a_broken_token_is_refused_and_not_shown(
    words: list[str],
    server: Scripted,
    postroom: Postroom,
    monkeypatch: pytest.MonkeyPatch,
    value: str,
) -> None:
    monkeypatch.setenv("POSTROOM_TOKEN", value)
    ended = postroom(*words)
    assert ended.status == 26
    assert ended.err == "unauthenticated: POSTROOM_TOKEN holds no token\n"
    assert not server.asked


def test_a_broken_id_is_refused(
    words: list[str], server: Scripted, postroom: Postroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTROOM_AGENT_ID", "agt_1\r\nX-Other: 1")
    assert postroom(*words).status == 13
    assert not server.asked


def test_no_failure_shows_the_token(
    words: list[str], server: Scripted, postroom: Postroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTROOM_TOKEN", TOKEN)
    server.answer({"code": 16, "message": "who?", "details": []}, 401)
    shown = postroom(*words).err
    server.answer("stranger")
    shown += postroom(*words).err
    monkeypatch.setenv("POSTROOM_URL", "http://127.0.0.1:1")
    shown += postroom(*words).err
    assert shown.count("\n") == 3
    assert TOKEN not in shown


def test_c19_help_names_both_ways(contract: Contract, postroom: Postroom) -> None:
    commands = [["rpc", spec.kebab_name] for spec in unary(contract)]
    for words in ([], ["rpc"], ["send"], ["agent"], ["agent", "create"], *commands):
        shown = postroom(*words, "--help").out.decode()
        assert "POSTROOM_TOKEN," in shown
        assert "POSTROOM_TOKEN_FILE" in shown


def test_no_argument_takes_a_token(postroom: Postroom, contract: Contract) -> None:
    assert not [p for p in root().params if "token" in (p.name or "")]
    for spec in unary(contract):
        assert "--token" not in postroom("rpc", spec.kebab_name, "--help").out.decode()
