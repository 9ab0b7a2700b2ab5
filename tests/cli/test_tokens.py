"""The short commands for tokens."""

from typing import Any

import pytest

from .conftest import Postroom
from .scripted import Scripted

AGENT = {"agent": {"id": "agt_1", "name": "alfa"}}
MADE = {"token": "prt_x", "keyId": "x", "expiresAt": "2027-03-01T00:00:00.000000Z"}


@pytest.mark.parametrize(
    ("words", "method", "request_"),
    [
        (["create", "--agent", "agt_1"], "CreateToken", {"agentId": "agt_1"}),
        (
            ["create", "--agent", "agt_1", "--label", "laptop"],
            "CreateToken",
            {"agentId": "agt_1", "label": "laptop"},
        ),
        (["list"], "ListTokens", {}),
        (["list", "--agent", "agt_1"], "ListTokens", {"agentId": "agt_1"}),
        (["revoke", "abc"], "RevokeToken", {"keyId": "abc"}),
    ],
)
def test_each_is_a_call(
    postroom: Postroom, server: Scripted, words: list[str], method: str, request_: Any
) -> None:
    server.answer(MADE | {"tokens": [], "nextPageToken": ""})
    assert postroom("token", *words, "--json").status == 0
    assert server.request == request_
    assert server.asked[0].path == f"/agent.v1.AgentService/{method}"


def test_an_agent_is_made_with_its_token(postroom: Postroom, server: Scripted) -> None:
    server.answer(AGENT | MADE)
    ended = postroom("agent", "create", "alfa", "--workflow", "w", "--token", "--json")
    assert ended.status == 0
    assert b'"token":"prt_x"' in ended.out
    assert [asked.json for asked in server.asked] == [
        {"name": "alfa", "workflow": "w"},
        {"agentId": "agt_1"},
    ]
    server.asked.clear()
    shown = postroom("agent", "create", "alfa", "--token", "--output", "table").out.decode()
    assert "prt_x" in shown
    assert "agt_1" in shown


def test_without_the_flag_there_is_no_second_call(postroom: Postroom, server: Scripted) -> None:
    server.answer(AGENT)
    assert postroom("agent", "create", "alfa").status == 0
    assert len(server.asked) == 1


def test_the_agent_is_shown_when_its_token_was_refused(
    postroom: Postroom, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    from postroom.cli import calling

    server.answer(AGENT)
    asked = calling.ask_as

    def refused_second(who: Any, spec: Any, *rest: Any) -> Any:
        if spec.name == "CreateToken":
            server.answer({"code": 7, "message": "only the operator may make tokens"}, 403)
        return asked(who, spec, *rest)

    monkeypatch.setattr(calling, "ask_as", refused_second)
    ended = postroom("agent", "create", "alfa", "--token", "--json")
    assert ended.status == 17
    assert b"agt_1" in ended.out
    assert ended.err == "permission_denied: only the operator may make tokens\n"
