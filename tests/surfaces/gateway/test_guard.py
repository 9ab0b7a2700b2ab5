"""The guard: the table of its checks, in their order."""

import json

import pytest

from postroom.surfaces.gateway import Gateway, Guard, Rules
from tests.surfaces.gateway.doors import ScriptedDoor
from tests.surfaces.gateway.http import Answer, ask
from tests.surfaces.gateway.kinds import CONTRACT, POOL

HOSTS = frozenset(("127.0.0.1:8787", "localhost:8787", "[::1]:8787"))
JSON = ("Content-Type", "application/json")


def guarded(
    *headers: tuple[str, str],
    host: str | None = "127.0.0.1:8787",
    client: str | None = "127.0.0.1",
    hosts: frozenset[str] = HOSTS,
    body: str = "",
    method: str = "POST",
) -> Answer:
    """Ask through the guard."""
    app = Guard(Gateway(ScriptedDoor(CONTRACT.specs), pool=POOL), Rules(hosts=hosts))
    return ask(app, method, "/star", headers, body, host=host, client=client)


@pytest.mark.parametrize("host", [*sorted(HOSTS), "LocalHost:8787", "[0:0:0:0:0:0:0:1]:8787"])
def test_own_names_with_the_port_pass(host: str) -> None:
    assert guarded(JSON, host=host, body="{}").status == 200


@pytest.mark.parametrize(
    "host",
    [
        *(None, "", "127.0.0.1", "localhost", "127.0.0.1:80", "127.evil.example:8787", "[::1]"),
        *(
            "127.0.0.1:8787.evil.example",
            "localhost.:8787",
            "[::1:8787",
            "evil.example",
            "[x]:8787",
        ),
    ],
)
def test_other_names_are_misdirected(host: str | None) -> None:
    _refused(guarded(host=host), 421, 7, "BAD_HOST")


def test_a_second_host_is_misdirected() -> None:
    _refused(guarded(("Host", "127.0.0.1:8787")), 421, 7, "BAD_HOST")


def test_the_port_may_be_left_out_when_it_is_80() -> None:
    hosts = frozenset(("127.0.0.1:80", "[::1]:80"))
    for host in ("127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:80"):
        assert guarded(host=host, hosts=hosts).status == 200
    origin = ("Origin", "http://127.0.0.1")
    assert guarded(origin, host="127.0.0.1:80", hosts=hosts).status == 200


@pytest.mark.parametrize("client", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", None])
def test_peers_on_this_machine_pass(client: str | None) -> None:
    assert guarded(client=client).status == 200


@pytest.mark.parametrize("client", ["10.0.0.1", "::2", "::ffff:10.0.0.1", "127.evil", "localhost"])
def test_other_peers_are_refused(client: str) -> None:
    _refused(guarded(client=client, host="evil.example"), 403, 7, "NOT_LOOPBACK")


@pytest.mark.parametrize(
    ("header", "http", "code", "reason"),
    [
        (("Forwarded", "for=1.2.3.4"), 403, 7, "PROXIED"),
        (("X-Forwarded-For", "127.0.0.1"), 403, 7, "PROXIED"),
        (("X-Forwarded-Proto", "https"), 403, 7, "PROXIED"),
        (("X-Real-IP", "127.0.0.1"), 403, 7, "PROXIED"),
        (("Origin", "null"), 403, 7, "BAD_ORIGIN"),
        (("Origin", ""), 403, 7, "BAD_ORIGIN"),
        (("Origin", "http://evil.example"), 403, 7, "BAD_ORIGIN"),
        (("Origin", "http://localhost:8787"), 403, 7, "BAD_ORIGIN"),
        (("Origin", "http://127.0.0.1:8788"), 403, 7, "BAD_ORIGIN"),
        (("Origin", "https://127.0.0.1:8787"), 403, 7, "BAD_ORIGIN"),
        (("Sec-Fetch-Site", "cross-site"), 403, 7, "CROSS_SITE"),
        (("Sec-Fetch-Site", "same-site"), 403, 7, "CROSS_SITE"),
        (("Content-Type", "text/plain"), 415, 3, "BAD_CONTENT_TYPE"),
        (("Content-Type", "Text/Plain; charset=utf-8"), 415, 3, "BAD_CONTENT_TYPE"),
        (("Content-Type", "multipart/form-data; boundary=x"), 415, 3, "BAD_CONTENT_TYPE"),
        (("Content-Type", "application/x-www-form-urlencoded"), 415, 3, "BAD_CONTENT_TYPE"),
    ],
)
def test_what_a_page_or_a_proxy_sends_is_refused(
    header: tuple[str, str], http: int, code: int, reason: str
) -> None:
    _refused(guarded(header, body="{}"), http, code, reason)


@pytest.mark.parametrize(
    "header",
    [
        JSON,
        ("Origin", "http://127.0.0.1:8787"),
        ("Sec-Fetch-Site", "same-origin"),
        ("Sec-Fetch-Site", "none"),
        ("Content-Type", "application/json; charset=utf-8"),
    ],
)
def test_what_local_programs_and_the_own_page_send_passes(header: tuple[str, str]) -> None:
    assert guarded(header, body="{}").status == 200


def test_without_a_body_its_type_does_not_matter() -> None:
    assert guarded(("Content-Type", "text/plain")).status == 200


def test_a_chunked_body_has_a_type_that_matters() -> None:
    answer = guarded(("Transfer-Encoding", "chunked"), ("Content-Type", "text/plain"))
    _refused(answer, 415, 3, "BAD_CONTENT_TYPE")


def test_a_preflight_is_granted_nothing() -> None:
    answer = guarded(("Access-Control-Request-Method", "POST"), method="OPTIONS")
    assert answer.status == 501
    assert not any(name.startswith("access-control") for name, _ in answer.headers)


def test_the_first_check_that_fails_is_told() -> None:
    bad = [("Sec-Fetch-Site", "cross-site"), ("Origin", "null"), ("X-Real-IP", "1.2.3.4")]
    reasons = []
    while bad:
        reasons.append(guarded(*bad).json["details"][0]["reason"])
        bad.pop()
    assert reasons == ["PROXIED", "BAD_ORIGIN", "CROSS_SITE"]


def test_a_refusal_to_head_has_no_body() -> None:
    answer = guarded(host="x", method="HEAD")
    assert (answer.status, answer.body) == (421, b"")


def _refused(answer: Answer, http: int, code: int, reason: str) -> None:
    assert answer.status == http
    found = json.loads(answer.body)
    (detail,) = found["details"]
    assert (found["code"], detail["reason"]) == (code, reason)
    assert detail["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
    assert found["message"]
