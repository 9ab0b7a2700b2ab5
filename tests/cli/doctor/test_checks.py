"""Each check by the facts that it is given."""

import json
import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from postroom import logins
from postroom.cli.connection import Answer
from postroom.cli.doctor import files, identity, proxies, server, setup, storage
from postroom.cli.doctor.finding import Finding, Level
from postroom.cli.doctor.identity import Call, Proof
from postroom.cli.failure import Failure
from postroom.errors import StoreRefusal, stopping

URL = "http://127.0.0.1:8787"
FILE, FOLDER = stat.S_IFREG, stat.S_IFDIR
ME, OTHER = 1000, 1001


def said(value: Any, status: int = 200) -> Answer:
    return Answer(status, json.dumps(value).encode(), "application/json", "")


def level(finding: Finding) -> str:
    assert finding.mend or finding.level is Level.OK, "what is wrong can be mended"
    return finding.level.value


def test_a_server_that_is_away_strange_or_there() -> None:
    away = Failure("unavailable", f"cannot reach {URL}; start it")
    assert server.health(URL, away) == Finding(Level.PROBLEM, f"cannot reach {URL}", "start it")
    assert level(server.health(URL, said({"status": "SERVING"}))) == "ok"
    for answer in (said({"hello": 1}), said({}, 404), Answer(200, b"<html>", "text/html", "")):
        assert "is not postroom" in server.health(URL, answer).what
        assert level(server.health(URL, answer)) == "problem"


def test_the_reason_of_a_server_that_is_not_ready_is_told() -> None:
    told = {"status": "NOT_SERVING", "reason": "STORAGE_FULL", "message": "no room; free some"}
    found = server.readiness(said(told, 503))
    assert (level(found), found.mend) == ("problem", "free some")
    assert found.what == "it is not ready (STORAGE_FULL): no room"
    assert level(server.readiness(said({"status": "SERVING"}))) == "ok"
    assert level(server.readiness(Failure("deadline_exceeded", "no answer; wait"))) == "problem"


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (said({"info": {"version": "1.2"}}), "ok"),
        (said({"info": {"version": "1.3"}}), "warning"),
        (said({"info": 3}), "warning"),
        (said([]), "warning"),
        (Failure("unavailable", "gone; look"), "warning"),
    ],
)
def test_versions_that_differ_are_told(answer: Answer | Failure, wanted: str) -> None:
    assert level(server.versions("1.2", answer)) == wanted


def test_a_grpc_port_that_nobody_listens_on_is_told() -> None:
    assert level(server.grpc_port("127.0.0.1:1", "")) == "ok"
    assert "refused" in server.grpc_port("127.0.0.1:1", "Connection refused").what


@pytest.mark.parametrize(
    ("reason", "mend"),
    [
        ("TOKEN_INVALID", "postroom token create"),
        ("CALLER_ARCHIVED", "postroom agent create"),
        ("IDENTITY_MISMATCH", "unset POSTROOM_AGENT_ID"),
        ("TOKEN_REQUIRED", "as the server says"),
        ("CALLER_UNKNOWN", "as the server says"),
    ],
)
def test_a_refused_caller_is_told_what_to_do(reason: str, mend: str) -> None:
    refused = Failure("unauthenticated", "not you; as the server says", reason=reason)
    found = identity.caller(Call("agt_1", Proof.TOKEN, refused))
    assert (level(found), found.what) == ("problem", "not you")
    assert mend in found.mend


@pytest.mark.parametrize(
    ("call", "id"),
    [
        (Call("agt_1", Proof.NONE, {}), "agt_1"),
        (Call("", Proof.NONE, {}), "operator"),
        (Call("", Proof.OPERATOR_FILE, {}), "operator"),
        (Call("", Proof.TOKEN, {}, is_operator_token=True), "operator"),
        (Call("", Proof.TOKEN, {"mail": []}), ""),
        (Call("", Proof.TOKEN, {"mail": [{"toAgentId": "agt_2"}]}), "agt_2"),
        (Call("", Proof.CERTIFICATE, {"mail": [{"toAgentId": "agt_2"}]}), "agt_2"),
    ],
)
def test_the_caller_is_who_it_named_or_proved(call: Call, id: str) -> None:
    assert identity.agent_id(call) == id
    assert level(identity.caller(call)) == "ok"
    assert id in identity.caller(call).what


def test_a_dormant_caller_is_told_how_to_wake() -> None:
    entry = {"name": "alfa", "state": "AGENT_STATE_DORMANT"}
    found = identity.caller(Call("agt_1", Proof.NONE, {}), entry)
    assert (level(found), found.mend) == (
        "warning",
        "say that it runs again: postroom agent resume agt_1",
    )
    awake = identity.caller(Call("agt_1", Proof.NONE, {}), entry | {"state": "AGENT_STATE_RUNNING"})
    assert awake.what == "you call as alfa (agt_1), taken at your word"


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        (files.Entry(Path("/t"), FILE | 0o600, ME), "ok"),
        (files.Entry(Path("/t"), FILE | 0o400, ME), "ok"),
        (files.Entry(Path("/t"), FILE | 0o640, ME), "problem"),
        (files.Entry(Path("/t"), FILE | 0o602, ME), "problem"),
        (files.Entry(Path("/t"), FILE | 0o600, OTHER), "problem"),
        (files.Entry(Path("/t"), FOLDER | 0o700, ME), "problem"),
        (files.Entry(Path("/t"), error="No such file or directory"), "problem"),
    ],
)
def test_a_tokens_file_is_its_users_alone(entry: files.Entry, wanted: str) -> None:
    assert level(files.secret("POSTROOM_TOKEN_FILE", entry, ME)) == wanted


def test_root_may_look_at_the_files_of_others() -> None:
    assert level(files.secret("it", files.Entry(Path("/t"), FILE | 0o600, OTHER), 0)) == "ok"


@pytest.mark.parametrize(
    ("mode", "wanted"), [(0o755, []), (0o777, ["problem"]), (0o770, ["problem"]), (0o1777, [])]
)
def test_nobody_else_may_replace_a_tokens_file(mode: int, wanted: list[str]) -> None:
    assert list(map(level, files.place("it", files.Entry(Path("/"), FOLDER | mode)))) == wanted


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        (files.Entry(Path("/d"), FOLDER | 0o700, ME), "ok"),
        (files.Entry(Path("/d"), error=os.strerror(2)), "ok"),
        (files.Entry(Path("/d"), FOLDER | 0o755, ME), "warning"),
        (files.Entry(Path("/d"), FOLDER | 0o700, OTHER), "warning"),
        (files.Entry(Path("/d"), FOLDER | 0o770, ME), "problem"),
        (files.Entry(Path("/d"), FILE | 0o600, ME), "problem"),
        (files.Entry(Path("/d"), error=os.strerror(13)), "problem"),
    ],
)
def test_the_data_directory_is_its_users_alone(entry: files.Entry, wanted: str) -> None:
    assert list(map(level, files.data_directory(entry, [], ME))) == [wanted]


def test_no_folder_above_the_data_may_be_open_to_all() -> None:
    mine = files.Entry(Path("/a/b/d"), FOLDER | 0o700, ME)
    parents = [files.Entry(Path("/a/b"), FOLDER | 0o777), files.Entry(Path("/a"), FOLDER | 0o1777)]
    _, found = files.data_directory(mine, parents, ME)
    assert (level(found), found.mend) == ("problem", "chmod o-w /a/b")


@pytest.mark.parametrize(
    ("found", "wanted"),
    [(None, "ok"), (0, "ok"), (3, "ok"), (2, "warning"), (4, "problem"), (stopping(), "problem")],
)
def test_the_schema_is_compared(found: int | StoreRefusal | None, wanted: str) -> None:
    assert level(storage.database("sqlite:////d/mail.db", found, 3)) == wanted


def test_no_password_is_shown() -> None:
    url = "postgresql://user:hidden@host/mail?password=hidden"
    for found in (1, 3, 9, None, stopping()):
        told = storage.database(url, found, 3)
        assert "hidden" not in told.what + told.mend
    assert storage.shown(url) == "the database mail at host"
    assert "hidden" not in storage.shown("postgresql://[hidden")
    held = proxies.proxies({"HTTP_PROXY": "http://user:hidden@proxy"}, "127.0.0.1")
    assert "hidden" not in held.what + held.mend


@pytest.mark.parametrize(
    ("mib", "wanted"), [(99, "problem"), (101, "warning"), (1023, "warning"), (1025, "ok")]
)
def test_little_room_is_told(mib: int, wanted: str) -> None:
    assert level(storage.room(Path("/"), mib << 20)) == wanted


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, "ok"),
        ({"NO_PROXY": "x"}, "ok"),
        ({"HTTP_PROXY": "http://p"}, "warning"),
        ({"all_proxy": "http://p", "no_proxy": "localhost"}, "warning"),
        ({"http_proxy": "http://p", "no_proxy": "localhost, 127.0.0.1"}, "ok"),
        ({"https_proxy": "http://p", "NO_PROXY": "127.0.0.0/8"}, "ok"),
        ({"https_proxy": "http://p", "NO_PROXY": "*"}, "ok"),
    ],
)
def test_a_proxy_between_is_told(variables: dict[str, str], wanted: str) -> None:
    assert level(proxies.proxies(variables, "127.0.0.1")) == wanted


@pytest.mark.parametrize(
    "listed", ["example.org", ".example.org", "*.example.org", "x,EXAMPLE.org"]
)
def test_a_domain_covers_its_hosts(listed: str) -> None:
    assert proxies.is_skipped("post.example.org", listed)
    assert not proxies.is_skipped("postexample.org", listed)


def test_what_is_not_installed_is_told() -> None:
    (found,) = setup.extras(has_mcp=True, has_driver=False, wants_driver=False)
    assert level(found) == "ok"
    both = setup.extras(has_mcp=False, has_driver=False, wants_driver=True)
    assert list(map(level, both)) == ["warning", "problem"]


def test_others_who_can_log_in_count_where_everybody_is_believed() -> None:
    assert level(setup.neighbours(["eve"], is_trusted=False)) == "ok"
    assert level(setup.neighbours([], is_trusted=True)) == "ok"
    on_socket = setup.neighbours(["eve"], is_trusted=True, on_socket=True)
    assert (level(on_socket), "socket" in on_socket.what) == ("ok", True)
    found = setup.neighbours(["eve", "mallory"], is_trusted=True)
    assert level(found) == "warning"
    assert "eve, mallory" in found.what
    assert "--unix-socket" in found.mend


def account(name: str, uid: int, shell: str) -> Any:
    return SimpleNamespace(pw_name=name, pw_uid=uid, pw_shell=shell)


def test_only_people_with_a_shell_can_log_in() -> None:
    accounts = [
        account("root", 0, "/bin/bash"),
        account("daemon", 2, "/bin/sh"),
        account("me", ME, "/bin/zsh"),
        account("eve", OTHER, "/bin/zsh"),
        account("gone", 1002, "/usr/sbin/nologin"),
        account("off", 1003, "/bin/false"),
        account("bare", 1004, ""),
        account("nobody", 65534, "/bin/sh"),
    ]
    assert logins.others(accounts, ME) == ["eve"]
    assert logins.others(accounts, 0) == ["eve", "me"]
    assert logins.others(accounts[:2], 0) == []
    assert logins.listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
