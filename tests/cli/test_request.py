"""A whole request as JSON: strict names, flags on top."""

from pathlib import Path

import pytest

from .conftest import Postroom
from .scripted import Scripted

REQUEST = '{"to": "bravo", "reply_to": "mail_1", "body": "\u00e9\\ud83d\\ude00"}'
AS_SENT = {"to": "bravo", "replyTo": "mail_1", "body": "é😀"}


@pytest.fixture(autouse=True)
def ready(server: Scripted, contract: object) -> None:  # noqa: ARG001
    server.answer({"mail": {}, "warning": ""})


def test_json_as_text(server: Scripted, postroom: Postroom) -> None:
    assert postroom("rpc", "send-mail", "--json", REQUEST).status == 0
    assert server.request == AS_SENT


def test_json_from_a_file(server: Scripted, postroom: Postroom, tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(REQUEST, encoding="utf-8")
    assert postroom("rpc", "send-mail", "--json", f"@{path}").status == 0
    assert server.request == AS_SENT


def test_json_from_standard_input(server: Scripted, postroom: Postroom) -> None:
    assert postroom("rpc", "send-mail", "--json", "-", stdin=REQUEST.encode()).status == 0
    assert server.request == AS_SENT


def test_flags_override_fields_wherever_they_stand(server: Scripted, postroom: Postroom) -> None:
    postroom("rpc", "send-mail", "--to", "carol", "--json", REQUEST)
    assert server.request == AS_SENT | {"to": "carol"}


def test_a_nested_flag_keeps_its_neighbours(server: Scripted, postroom: Postroom) -> None:
    server.answer({"mail": [], "nextPageToken": ""})
    whole = '{"pagination": {"limit": 1, "cursor": "c"}}'
    postroom("rpc", "list-mail", "--json", whole, "--pagination.limit", "9")
    assert server.request == {"pagination": {"limit": 9, "cursor": "c"}}


def test_null_is_left_to_the_server(server: Scripted, postroom: Postroom) -> None:
    postroom("rpc", "send-mail", "--json", '{"to": null}', "--body", "x")
    assert server.request == {"to": None, "body": "x"}


@pytest.mark.parametrize(
    ("whole", "told"),
    [
        ('{"to": "x", "replyTO": "m1"}', "there is no field replyTO; did you mean replyTo?"),
        ('{"zzz": 1}', "there is no field zzz; the fields are: to, body, replyTo, requestId"),
        ('{"replyTo": "m1", "reply_to": "m2"}', "replyTo is given twice"),
        ('{"to": "a", "to": "b"}', "'to' is given twice"),
        ('{"to": NaN}', "NaN is no JSON value"),
        ('["to"]', "a request is a JSON object"),
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_bad_json_is_refused_here(
    server: Scripted, postroom: Postroom, whole: str, told: str
) -> None:
    ended = postroom("rpc", "send-mail", "--json", "-", stdin=whole.encode())
    assert ended.status == 2
    assert ended.err.startswith("invalid_argument: ")
    assert told in ended.err
    assert not server.asked


def test_nested_unknown_fields_are_named_by_path(server: Scripted, postroom: Postroom) -> None:
    ended = postroom("rpc", "list-mail", "--json", '{"pagination": {"page": 1}}')
    assert ended.status == 2
    assert "there is no field pagination.page" in ended.err
    assert not server.asked
