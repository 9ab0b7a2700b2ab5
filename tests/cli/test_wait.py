"""`postroom wait`: the loop by a clock of the test's, the command against scripted servers."""

import json
import socket
from collections.abc import Iterator
from threading import Thread

import pytest

from postroom.cli.failure import Failure

from .conftest import Postroom
from .scripted import Scripted
from .waiting import AWAY, REFUSED, SILENT, STOPPING, Script

MAIL = {"id": "mail_1", "fromAgentId": "agt_2", "body": "Wake up.\x1b[2J"}


def test_a_long_wait_is_made_of_calls_that_a_proxy_lets_pass() -> None:
    script = Script(50.0, 50.0, "mail", seconds=120)
    assert script.run() == "mail"
    assert (script.asked, script.pauses) == ([50, 50, 20], [])


def test_without_a_time_out_it_goes_on() -> None:
    script = Script(*[50.0] * 1000, "mail")
    assert script.run() == "mail"
    assert set(script.asked) == {50}


def test_nothing_in_time_has_a_status_of_its_own() -> None:
    script = Script(50.0, 10.5, seconds=60.5)
    with pytest.raises(Failure, match=r"no mail came within 60\.5 s$") as ended:
        script.run()
    assert (ended.value.status, script.asked) == (75, [50, 11])


@pytest.mark.parametrize("failure", [STOPPING, SILENT])
def test_a_restart_is_outlived_and_told_once(
    failure: Failure, capsys: pytest.CaptureFixture[str]
) -> None:
    script = Script(failure, AWAY, AWAY, STOPPING, "mail", seconds=60)
    assert script.run() == "mail"
    assert script.pauses == [1.0] * 4
    told = capsys.readouterr().err
    assert told == f"warning: trying until the server answers again: {failure}\n"


def test_a_server_that_stays_away_ends_the_wait_in_time() -> None:
    script = Script(STOPPING, AWAY, AWAY, AWAY, seconds=3.5)
    with pytest.raises(Failure, match="the server did not answer at the end") as ended:
        script.run()
    assert ended.value.status == 75
    assert script.pauses == [1.0, 1.0, 1.0, 0.5]


def test_a_server_that_was_never_there_is_told_at_once() -> None:
    script = Script(AWAY, seconds=60)
    with pytest.raises(Failure, match="cannot reach") as ended:
        script.run()
    assert (ended.value.status, script.pauses) == (24, [])


def test_a_server_that_refuses_the_certificate_is_told_from_one_that_stops() -> None:
    with pytest.raises(Failure, match="broke off"):
        Script(REFUSED).run()
    assert Script((3.0, REFUSED), REFUSED, "mail").run() == "mail"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("unauthenticated", "TOKEN_INVALID"),
        ("permission_denied", "IDENTITY_MISMATCH"),
        ("resource_exhausted", "AUTH_THROTTLED"),
        ("unavailable", "NOT_POSTROOM"),
        ("invalid_argument", ""),
    ],
)
def test_what_a_restart_does_not_mend_ends_it_even_later(code: str, reason: str) -> None:
    refused = Failure(code, "no", reason=reason)
    for script in (Script(refused), Script(50.0, AWAY, refused)):
        with pytest.raises(Failure, match=r"^no$"):
            script.run()


def test_a_server_that_does_not_wait_is_not_asked_all_the_time() -> None:
    script = Script(0.0, 0.0, "mail")
    assert script.run() == "mail"
    assert script.pauses == [1.0, 1.0]


def test_mail_is_printed_as_the_server_sent_it(postroom: Postroom, server: Scripted) -> None:
    server.answer({"mail": [MAIL]})
    ended = postroom("wait", "--timeout", "7")
    assert (ended.status, ended.err) == (0, "")
    assert json.loads(ended.out) == {"mail": [MAIL]}
    assert server.asked[0].path == "/agent.v1.AgentService/WaitForMail"
    assert server.request == {"timeoutSeconds": 7}
    assert postroom("wait", "--json").out == ended.out


def test_a_person_reads_it_without_harm(postroom: Postroom, server: Scripted) -> None:
    server.answer({"mail": [MAIL]})
    shown = postroom("wait", "--output", "table").out.decode()
    assert "Wake up.\\x1b[2J" in shown
    assert "\x1b" not in shown


def test_a_refusal_ends_it_at_once(postroom: Postroom, server: Scripted) -> None:
    server.answer({"code": 16, "message": "who are you?"}, 401)
    ended = postroom("wait")
    assert (ended.status, ended.out) == (26, b"")
    assert ended.err == "unauthenticated: who are you?\n"
    assert len(server.asked) == 1


@pytest.mark.parametrize("seconds", ["0", "-1", "soon"])
def test_a_time_that_is_none_is_refused(postroom: Postroom, server: Scripted, seconds: str) -> None:
    assert postroom("wait", "--timeout", seconds).status == 2
    assert not server.asked


def test_ctrl_c_has_the_status_that_shells_know(
    postroom: Postroom, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    server.answer({"mail": []})
    monkeypatch.setattr("postroom.cli.calling.post", interrupted)
    ended = postroom("wait")
    assert (ended.status, ended.err) == (130, "cancelled: interrupted\n")


@pytest.fixture
def restarting(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that dies under the first call, is behind a proxy, and then has mail."""
    listener = socket.create_server(("127.0.0.1", 0))
    body = json.dumps({"mail": [MAIL]}).encode()
    answers = (
        b"",
        b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<html>",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + body,
    )

    def serve() -> None:
        for answer in answers:
            link, _ = listener.accept()
            with link:
                link.recv(1 << 16)
                link.sendall(answer)
                link.shutdown(socket.SHUT_WR)
                # To the end, for a reset could overtake the answer.
                while link.recv(1 << 16):
                    pass

    thread = Thread(target=serve)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    monkeypatch.setenv("POSTROOM_URL", url)
    monkeypatch.setattr("postroom.cli.waiting._PAUSE_SECONDS", 0)
    yield url
    thread.join()
    listener.close()


def test_mail_comes_over_a_restart(postroom: Postroom, restarting: str) -> None:
    ended = postroom("wait", "--timeout", "600")
    assert (ended.status, json.loads(ended.out)) == (0, {"mail": [MAIL]})
    told = f"warning: trying until the server answers again: {restarting} broke off "
    assert ended.err.startswith(told)
    assert ended.err.count("\n") == 1
