"""Cases from the field that are about JSON, text and HTTP, by their ids."""

import base64

import pytest

from postroom.errors import NotFound
from postroom.surfaces.gateway import Gateway, Guard, Rules
from tests.surfaces.gateway.http import ask
from tests.surfaces.gateway.kinds import POOL, door, everything, sent


def test_c43_a_misspelt_field_is_told_and_refused_when_strict() -> None:
    body = '{"text":"alfa","replyTO":"m1"}'
    answer, request = sent("POST", "/star", body)
    assert (answer.status, request) == (200, everything(text="alfa"))
    assert answer.header("Postroom-Ignored-Fields") == ["replyTO"]
    behind = door()
    answer = ask(Gateway(behind, strict_json=True), "POST", "/star", body=body)
    assert (answer.status, answer.json["code"], behind.asked) == (400, 3, [])
    assert "replyTO" in answer.json["message"]


@pytest.mark.parametrize("before", [0, 1])
def test_c45_every_line_of_a_stream_has_its_end(before: int) -> None:
    gone = NotFound("agent", "a1", "no agent has the id a1")
    behind = door(*[everything()] * before, error=gone)
    answer = ask(Gateway(behind, pool=POOL), "GET", "/watch")
    assert answer.body.endswith(b"\n")
    assert len(answer.lines) == before + 1


@pytest.mark.parametrize("body", [b'{"text":"\xff\xfe"}', b'{"text":"\\ud800"}', b"\xff"])
def test_c47_text_that_is_not_unicode_is_an_invalid_argument(body: bytes) -> None:
    answer, request = sent("POST", "/star", body)
    assert (answer.status, answer.json["code"], request) == (400, 3, None)


def test_c49_both_names_of_a_field_are_refused_together() -> None:
    answer, request = sent("POST", "/star", '{"maybeNumber":1,"maybe_number":2}')
    assert (answer.status, answer.json["code"], request) == (400, 3, None)


@pytest.mark.parametrize("text", ["@@@", "QUJD\\nQUJD", "QUJD\\r\\n"])
def test_c51_bad_base64_is_an_invalid_argument(text: str) -> None:
    answer, request = sent("POST", "/star", f'{{"data":"{text}"}}')
    assert (answer.status, answer.json["code"], request) == (400, 3, None)


@pytest.mark.parametrize("data", [b"\xfb\xff\xfe", b"\xff", b"ab"])
def test_c51_url_safe_and_unpadded_base64_are_read(data: bytes) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        padded = encode(data).decode()
        for text in (padded, padded.rstrip("=")):
            assert sent("POST", "/star", f'{{"data":"{text}"}}')[1] == everything(data=data)


@pytest.mark.parametrize(
    ("host", "port", "status"),
    [
        ("127.0.0.1:8787", 8787, 200),
        ("[::1]:8787", 8787, 200),
        ("localhost:8787", 8787, 200),
        ("127.0.0.1", 8787, 421),
        ("localhost", 80, 200),
        ("mail.example:8787", 8787, 421),
    ],
)
def test_c63_a_server_knows_the_names_it_is_bound_to(host: str, port: int, status: int) -> None:
    hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))
    app = Guard(Gateway(door(), pool=POOL), Rules(hosts=hosts))
    assert ask(app, "POST", "/star", host=host).status == status
