"""The operator's token: used by itself, but only where it belongs."""

from pathlib import Path

import pytest

from .conftest import Postroom
from .scripted import Scripted

TOKEN = "pro_0123456789ab_" + "s" * 43
REFUSED = {
    "code": 16,
    "message": "this server wants proof",
    "details": [
        {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TOKEN_REQUIRED"},
    ],
}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in a server's data directory."""
    monkeypatch.setenv("POSTROOM_DATA_DIR", str(tmp_path))
    path = tmp_path / "operator.token"
    path.write_text(f"{TOKEN}\n")
    path.chmod(0o600)
    return path


def proofs(server: Scripted) -> list[str | None]:
    return [asked.headers.get("Authorization") for asked in server.asked]


@pytest.mark.usefixtures("kept")
def test_it_is_used_once_a_call_without_it_was_refused(
    words: list[str], server: Scripted, postroom: Postroom
) -> None:
    assert postroom(*words).status == 0
    assert proofs(server) == [None]
    server.asked.clear()
    server.answer(REFUSED, 401)
    ended = postroom(*words)
    assert (ended.status, TOKEN in ended.out.decode() + ended.err) == (26, False)
    assert proofs(server) == [None, f"Bearer {TOKEN}"]


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("reason", ["TOKEN_INVALID", "CALLER_UNKNOWN", ""])
def test_it_is_not_used_for_any_other_refusal(
    words: list[str], server: Scripted, postroom: Postroom, reason: str
) -> None:
    server.answer(REFUSED | {"details": [{"reason": reason}]}, 401)
    assert postroom(*words).status == 26
    assert proofs(server) == [None]


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("variable", ["POSTROOM_AGENT_ID", "KOMRAD_AGENT_ID", "POSTROOM_TOKEN"])
def test_whoever_calls_as_an_agent_does_not_become_the_operator(
    words: list[str],
    server: Scripted,
    postroom: Postroom,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    monkeypatch.setenv(variable, "prt_0123456789ab_" + "s" * 43)
    server.answer(REFUSED, 401)
    assert postroom(*words).status == 26
    assert len(server.asked) == 1
    assert f"Bearer {TOKEN}" not in proofs(server)


@pytest.mark.usefixtures("kept")
def test_it_goes_to_this_machine_only(
    words: list[str], server: Scripted, postroom: Postroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer(REFUSED, 401)
    monkeypatch.setattr("postroom.cli.environment.is_here", lambda _: False)
    assert postroom(*words).status == 26
    assert proofs(server) == [None]


def test_what_this_machine_is() -> None:
    from postroom.cli.environment import is_here

    here = ("http://127.0.0.1:1", "https://localhost:1", "http://[::1]:1", "http://127.9.9.9:1")
    assert all(map(is_here, here))
    beyond = ("http://10.0.0.1:1", "http://127.evil.example", "http://localhost.example:1")
    assert not any(map(is_here, beyond))


def test_a_file_that_others_can_read_is_refused(
    words: list[str], server: Scripted, postroom: Postroom, kept: Path
) -> None:
    server.answer(REFUSED, 401)
    kept.chmod(0o644)
    ended = postroom(*words)
    assert ended.status == 26
    assert "is open to other users; run: chmod 600" in ended.err
    assert proofs(server) == [None]


def test_without_the_file_the_refusal_stands(
    words: list[str], server: Scripted, postroom: Postroom, kept: Path
) -> None:
    server.answer(REFUSED, 401)
    kept.unlink()
    ended = postroom(*words)
    assert (ended.status, ended.err) == (26, "unauthenticated: this server wants proof\n")
    assert proofs(server) == [None]
