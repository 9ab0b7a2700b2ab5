"""`postroom doctor` against servers of every kind, and against none."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from postroom.storage.glance import known_schema
from postroom.token import OPERATOR_FILE
from tests.acceptance.doors import JsonDoor
from tests.acceptance.server import Server
from tests.cli.conftest import Postroom

SECRET = f"prt_{'a' * 12}_{'b' * 43}"
Report = Callable[..., dict[str, str]]


@pytest.fixture(autouse=True)
def own_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with nothing on it, and nobody else."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("POSTROOM_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("POSTROOM_CONFIG", os.devnull)
    monkeypatch.setenv("POSTROOM_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("postroom.logins.on_this_machine", list)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def report(postroom: Postroom) -> Report:
    """Runs the command; returns what is told, with its level. Nothing ever shows a secret."""

    def run(*flags: str) -> dict[str, str]:
        ended = postroom("doctor", "--json", *flags)
        assert ended.err == ""
        assert "aaaa" not in ended.out.decode()
        found = json.loads(ended.out)["findings"]
        assert ended.status == any(each["level"] == "problem" for each in found)
        assert all(each["mend"] for each in found if each["level"] != "ok")
        return {each["what"]: each["level"] for each in found}

    return run


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    """Starts a server of this machine, which the variables then name."""
    started: list[Server] = []

    def start(**settings: str) -> Server:
        data = tmp_path / "data"
        known = {"POSTROOM_DATA_DIR": str(data)} | settings
        started.append(Server(tmp_path, f"sqlite:///{data / 'mail.db'}", settings=known))
        server = started[-1].start()
        monkeypatch.setenv("POSTROOM_URL", f"http://{server.http}")
        monkeypatch.setenv("POSTROOM_GRPC", server.grpc)
        return server

    yield start
    for server in started:
        server.end()


def level(found: dict[str, str], part: str) -> str:
    """The level of the one finding that tells this."""
    (only,) = [each for what, each in found.items() if part in what]
    return only


def made(server: Server, name: str = "alfa") -> Any:
    door = server.door("json")
    assert isinstance(door, JsonDoor)
    return door.call("CreateAgent", name=name, workflow="w").agent.id


def test_without_a_server_it_says_so_and_makes_nothing(report: Report, tmp_path: Path) -> None:
    found = report()
    assert level(found, "cannot reach the server") == "problem"
    assert level(found, "mail.db is not there yet") == "ok"
    assert level(found, "data directory") == "ok"
    assert [each.name for each in tmp_path.iterdir()] == ["project"]


def test_a_person_gets_a_line_for_each_finding(postroom: Postroom) -> None:
    ended = postroom("doctor")
    assert ended.status == 1
    lines = ended.out.decode().splitlines()
    assert lines[0] == "ok       the server's address is http://127.0.0.1:9"
    assert lines[1].startswith("problem  cannot reach the server at http://127.0.0.1:9")
    assert lines[1].endswith('  start it with "postroom serve" or set POSTROOM_URL')


def test_all_is_well_on_a_fresh_server(report: Report, served: Callable[..., Server]) -> None:
    served()
    found = report()
    assert set(found.values()) == {"ok"}, found
    assert level(found, "you call as operator, taken at your word") == "ok"
    assert level(found, "gRPC answers") == "ok"
    assert level(found, f"has schema {known_schema()}") == "ok"


def test_it_looks_without_a_trace(
    report: Report, served: Callable[..., Server], tmp_path: Path
) -> None:
    server = served()
    agent = made(server)
    server.stop()
    data = tmp_path / "data"
    before = {each.name: each.stat().st_mtime_ns for each in data.iterdir()}
    assert level(report(), "has schema") == "ok"
    assert {each.name: each.stat().st_mtime_ns for each in data.iterdir()} == before
    assert agent


@pytest.mark.parametrize("url", ["ftp://x", "http://user:aaaa@host", "127.0.0.1:8787"])
def test_an_address_that_is_none(report: Report, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("POSTROOM_URL", url)
    assert level(report(), "POSTROOM_URL must be an address") == "problem"


def test_who_calls_is_told_or_why_nobody_does(
    report: Report, served: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = served()
    alfa, bravo = made(server), made(server, "bravo")
    door = server.door("json")
    token = door.call("CreateToken", agent_id=alfa).token
    monkeypatch.setenv("POSTROOM_AGENT_ID", bravo)
    assert level(report(), f"bravo ({bravo}), taken at your word") == "ok"
    monkeypatch.setenv("POSTROOM_AGENT_ID", alfa)
    assert level(report(), f"the agent {alfa} has a token and must call with it") == "problem"
    monkeypatch.setenv("POSTROOM_TOKEN", token)
    assert level(report(), f"alfa ({alfa}), proven by its token") == "ok"
    monkeypatch.setenv("POSTROOM_AGENT_ID", bravo)
    assert level(report(), "you call as another agent") == "problem"
    monkeypatch.setenv("POSTROOM_TOKEN", SECRET)
    assert level(report(), "the token is not valid") == "problem"
    monkeypatch.delenv("POSTROOM_TOKEN")
    door.call("ArchiveAgent", id=bravo)
    assert level(report(), "is archived") == "problem"
    monkeypatch.setenv("POSTROOM_AGENT_ID", "agt_nobody")
    assert level(report(), "no agent has the id") == "problem"


def test_where_proof_is_asked_for_the_operators_file_is_used_and_checked(
    report: Report, served: Callable[..., Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postroom.logins.on_this_machine", lambda: ["eve"])
    served(POSTROOM_REQUIRE_AUTH="true")
    found = report()
    assert level(found, "you call as operator, proven by operator.token") == "ok"
    assert level(found, "the server asks callers for proof") == "ok"
    (tmp_path / "data" / OPERATOR_FILE).chmod(0o644)
    assert "problem" in {each for what, each in report().items() if "the operator's token" in what}


def test_others_on_the_machine_are_told_where_everybody_is_believed(
    report: Report, served: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postroom.logins.on_this_machine", lambda: ["eve"])
    served()
    assert level(report(), "others can log in here: eve") == "warning"


def test_a_tokens_file_that_is_open_or_gone_is_told_once(
    report: Report, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "token"
    monkeypatch.setenv("POSTROOM_TOKEN_FILE", str(path))
    assert level(report(), str(path)) == "problem"
    path.write_text(SECRET)
    path.chmod(0o644)
    assert level(report(), f"{path} is open to other users") == "problem"
    path.chmod(0o600)
    assert level(report(), f"{path} is yours alone") == "ok"
    path.write_text("")
    assert level(report(), "holds no token") == "problem"


def test_a_newer_or_a_broken_database_is_told(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE settings (name TEXT, value TEXT)")
        connection.execute("INSERT INTO settings VALUES ('schema_version', '999')")
    connection.close()
    database = ("--database", f"sqlite:///{path}")
    assert level(report(*database), "has schema 999") == "problem"
    path.write_bytes(b"no database, however long it is" * 100)
    assert level(report(*database), "is damaged") == "problem"
    path.write_bytes(b"")
    assert level(report(*database), "is empty, as after") == "problem"
    assert level(report("--database", "mysql://user:aaaa@host/x"), "begins with") == "problem"


def test_a_proxy_and_a_bad_setting_are_told(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://user:aaaa@proxy")
    monkeypatch.setenv("NO_PROXY", "localhost")
    monkeypatch.setenv("POSTROOM_MAIL_TTL", "soon")
    found = report()
    assert level(found, "HTTP_PROXY would send other programs' calls to 127.0.0.1") == "warning"
    assert level(found, "POSTROOM_MAIL_TTL is 'soon'") == "problem"


def test_the_files_of_another_machines_server_are_none_of_ours(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postroom.cli.doctor.examine.is_here", lambda _: False)
    assert not [what for what in report() if "data directory" in what or "schema" in what]


def test_settings_of_clients_are_found_from_a_folder_of_the_project(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir()
    (project / "deep").mkdir()
    entry = {"command": "/gone/postroom", "env": {"POSTROOM_TOKEN": SECRET}}
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"mail": entry}}))
    assert level(report(), ".mcp.json: 'mail' starts '/gone/postroom'") == "problem"
    monkeypatch.chdir(project / "deep")
    assert level(report(), f"{project}/.mcp.json holds a token in clear") == "problem"
