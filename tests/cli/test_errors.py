"""What goes wrong is said on stderr in one line, and by an exit status of its own."""

import pytest

from postroom.cli.failure import CODES, exit_status

from .conftest import Postroom
from .scripted import Scripted


@pytest.mark.parametrize(("number", "code"), list(enumerate(CODES))[1:])
def test_each_code_has_its_status(
    words: list[str], server: Scripted, postroom: Postroom, number: int, code: str
) -> None:
    server.answer({"code": number, "message": "no, thanks", "details": []}, 400)
    ended = postroom(*words)
    assert (ended.status, ended.out) == (10 + number, b"")
    assert ended.err == f"{code}: no, thanks\n"


def test_documented_figures() -> None:
    assert exit_status("not_found") == 15
    assert exit_status("unavailable") == 24


def test_the_codes_are_those_of_grpc() -> None:
    from grpc import StatusCode

    assert [(number, name.upper()) for number, name in enumerate(CODES)] == [
        (status.value[0], status.name) for status in StatusCode
    ]


def test_a_message_stays_on_its_line_and_inert(
    words: list[str], server: Scripted, postroom: Postroom
) -> None:
    server.answer(
        {"code": 5, "message": "no 'x\x1b[2J\nok: all is well\u202e'", "details": []}, 404
    )
    assert postroom(*words).err == "not_found: no 'x\\x1b[2J\\nok: all is well\\u202e'\n"


def test_a_refusal_without_a_reason(words: list[str], server: Scripted, postroom: Postroom) -> None:
    server.answer({"code": 13, "message": ""}, 500)
    assert postroom(*words).err == "internal: the server gave no reason\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing"], "No such command 'nothing'"),
        (["--nothing"], "No such option"),
        (["agent", "show"], "Missing argument 'ID'"),
        (["read", "--limit", "some"], "'some' is not a whole number"),
        (["send", "bravo", "one", "two"], "unexpected extra argument"),
    ],
)
def test_usage_errors(postroom: Postroom, arguments: list[str], told: str) -> None:
    ended = postroom(*arguments)
    first, second = ended.err.splitlines()
    assert (ended.status, ended.out) == (2, b"")
    assert first.startswith("invalid_argument: ")
    assert told in first
    assert second.startswith("Try 'postroom")


def test_no_command_shows_help(postroom: Postroom) -> None:
    ended = postroom()
    assert ended.status == 2
    assert ended.err.startswith("Usage: postroom")


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8787",
        "ftp://127.0.0.1",
        "http://",
        "http://127.0.0.1:port",
        "http://127.0.0.1:0",
        "http://127.0.0.1:99999",
        "http://user:secret@127.0.0.1",
        "http://127.0.0.1/?token=secret",
        "http://127.0.0.1/a b",
        "http://[::1",
    ],
)
def test_a_bad_address_is_said_without_showing_it(
    words: list[str], postroom: Postroom, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("POSTROOM_URL", url)
    ended = postroom(*words)
    assert ended.status == 13
    told = "POSTROOM_URL must be an address such as http://127.0.0.1:8787"
    assert ended.err == f"invalid_argument: {told}\n"


def test_an_interrupt(
    words: list[str], postroom: Postroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("postroom.cli.calling.post", interrupted)
    ended = postroom(*words)
    assert ended.status == 11
    assert ended.err.strip() == "cancelled: interrupted"
