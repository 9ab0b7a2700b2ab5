"""Files that a command sends along: read here, sent in the request."""

import base64
from pathlib import Path
from typing import Any

import pytest

from postroom.rpc.contract import Contract

from .conftest import Postroom
from .scripted import Scripted, sample

IMAGE = b"\x89PNG\r\n\x1a\n\x00\xff@"


@pytest.fixture
def sending(contract: Contract, server: Scripted) -> Scripted:
    (spec,) = [spec for spec in contract.specs if spec.name == "SendMessage"]
    server.answer(sample(spec.output))
    return server


def file(name: str) -> dict[str, str]:
    return {"filename": name, "data": base64.b64encode(IMAGE).decode()}


@pytest.mark.parametrize(
    ("words", "flag"),
    [(["message", "send"], "--attach"), (["rpc", "send-message"], "--attachments")],
)
def test_a_file_goes_with_its_name_and_bytes(
    sending: Scripted, postroom: Postroom, tmp_path: Path, words: list[str], flag: str
) -> None:
    for name in ("one.png", "@two.png", "{three}.png"):
        (tmp_path / name).write_bytes(IMAGE)
    given = [str(tmp_path / "one.png"), f"@{tmp_path / '@two.png'}", str(tmp_path / "{three}.png")]
    ended = postroom(*words, *(word for each in given for word in (flag, each)))
    assert (ended.status, ended.err) == (0, "")
    wanted = [file("one.png"), file("@two.png"), file("{three}.png")]
    assert sending.request == {"attachments": wanted}


def test_a_file_may_be_given_as_json_too(sending: Scripted, postroom: Postroom) -> None:
    whole = '{"filename": "a.png", "data": "aGk="}'
    assert postroom("rpc", "send-message", "--attachments", whole).status == 0
    assert sending.request == {"attachments": [{"filename": "a.png", "data": "aGk="}]}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("/does/not/exist.png", "cannot read the file /does/not/exist.png: No such file"),
        ("@/", "cannot read the file /: Is a directory"),
        ('{"name": "a.png"}', "there is no field attachments.name; did you mean filename?"),
        ("{", "not valid JSON"),
    ],
)
def test_what_is_no_file_is_a_usage_error(
    sending: Scripted, postroom: Postroom, given: str, told: str
) -> None:
    ended = postroom("message", "send", "--attach", given)
    assert ended.status == 2
    assert ended.err.startswith(f"invalid_argument: '--attach': {told}")
    assert not sending.asked


def test_messages_are_laid_out_with_their_attachments(
    contract: Contract, server: Scripted, postroom: Postroom
) -> None:
    (spec,) = [spec for spec in contract.specs if spec.name == "FetchInbox"]
    shown: dict[str, Any] = {"name": "a\nname b\x1b", "mediaType": "image/webp", "path": ""}
    message = {"id": "m1", "to": ["b", "c"], "subject": "Plan\x1b[2J", "attachments": [shown] * 2}
    server.answer({**sample(spec.output), "messages": [message]})
    ended = postroom("message", "inbox", "--agent", "b", "--output", "table")
    assert ended.out.decode().splitlines()[:5] == [
        "id           m1",
        "to           b, c",
        r"subject      Plan\x1b[2J",
        r"attachments  | name a\nname b\x1b, media type image/webp",
        r"             | name a\nname b\x1b, media type image/webp",
    ]
