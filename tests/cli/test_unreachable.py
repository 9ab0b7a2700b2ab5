"""Nobody answers, or somebody else does: case C33. Nothing is ever shown instead."""

import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from threading import Thread

import pytest

from .conftest import Postroom
from .scripted import Scripted

Stranger = Callable[[bytes], str]


@pytest.fixture
def port_of_nobody() -> Iterator[int]:
    """A port that is taken, so that no other program comes to listen there, and closed."""
    with closing(socket.socket()) as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stranger]:
    """A program that reads a request, sends these bytes, and hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))
    threads: list[Thread] = []

    def serve(answer: bytes) -> None:
        link, _ = listener.accept()
        with link:
            link.recv(1 << 16)
            link.sendall(answer)
            link.shutdown(socket.SHUT_WR)
            while link.recv(1 << 16):
                pass

    def start(answer: bytes) -> str:
        threads.append(Thread(target=serve, args=(answer,)))
        threads[-1].start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        monkeypatch.setenv("POSTROOM_URL", url)
        return url

    yield start
    for thread in threads:
        thread.join()
    listener.close()


@pytest.mark.parametrize("slash", ["", "/"])
def test_nobody_listens(
    words: list[str],
    postroom: Postroom,
    monkeypatch: pytest.MonkeyPatch,
    port_of_nobody: int,
    slash: str,
) -> None:
    url = f"http://127.0.0.1:{port_of_nobody}"
    monkeypatch.setenv("POSTROOM_URL", url + slash)
    ended = postroom(*words)
    assert (ended.status, ended.out) == (24, b"")
    assert ended.err == (
        f'unavailable: cannot reach the server at {url}; start it with "postroom serve" '
        "or set POSTROOM_URL\n"
    )


def test_tls_is_spoken_to_https_alone(
    words: list[str], postroom: Postroom, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTROOM_URL", server.url.replace("http", "https"))
    ended = postroom(*words)
    assert ended.status == 24
    assert ended.err.startswith("unavailable: cannot reach the server at https://")
    assert not server.asked


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n<html>",
            "HTTP 200, text/html",
        ),
        (b"HTTP/1.0 404 Not Found\r\n\r\n", "HTTP 404, something that is not JSON"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n", "HTTP 302"),
        (b"HTTP/1.1 200 OK\r\n\r\n[]", "its answer is no "),
        (b"HTTP/1.1 200 OK\r\n\r\n{}", "its answer is no "),
        (b'HTTP/1.1 200 OK\r\n\r\n{"status": "up"}', "its answer is no "),
        (b'HTTP/1.1 200 OK\r\n\r\n"\xff"', "HTTP 200, something"),
        (b'HTTP/1.1 401 No\r\n\r\n{"error": "who?"}', "HTTP 401 without a status"),
        (b'HTTP/1.1 500 No\r\n\r\n{"code": 500, "message": ""}', "HTTP 500 without a status"),
        (b'HTTP/1.1 500 No\r\n\r\n{"code": true, "message": ""}', "HTTP 500 without a status"),
        (b'HTTP/1.1 500 No\r\n\r\n{"code": "not_found"}', "HTTP 500 without a status"),
        (b"\x00\x00\x12\x04\x00\x00\x00\x00\x00", "it does not speak HTTP"),
        (b"SSH-2.0-OpenSSH\r\n", "it does not speak HTTP"),
    ],
)
def test_a_stranger_answers(
    words: list[str], postroom: Postroom, stranger: Stranger, answer: bytes, told: str
) -> None:
    url = stranger(answer)
    ended = postroom(*words)
    assert (ended.status, ended.out) == (24, b"")
    assert ended.err.startswith(f"unavailable: what answers at {url} is not postroom ({told}")
    assert ended.err.endswith("; set POSTROOM_URL to the server\n")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    ],
)
def test_a_broken_answer_leaves_the_outcome_open(
    words: list[str], postroom: Postroom, stranger: Stranger, answer: bytes
) -> None:
    url = stranger(answer)
    ended = postroom(*words)
    assert (ended.status, ended.out) == (24, b"")
    told = f"{url} broke off before the whole answer; the call may have taken effect"
    assert ended.err == f"unavailable: {told}\n"


def test_silence_ends_with_the_time_out(
    words: list[str], postroom: Postroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postroom.cli.connection._GRACE", 0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("POSTROOM_URL", url)
        ended = postroom(*words, "--timeout", "0.05")
    assert (ended.status, ended.out) == (14, b"")
    told = f"no answer from {url} within 0.05 s; the call may have taken effect"
    assert ended.err == f"deadline_exceeded: {told}\n"


@pytest.mark.parametrize(
    ("given", "sent"),
    [([], "30000m"), (["--timeout", "1.5"], "1500m"), (["--timeout", "86400"], "86400000m")],
)
def test_the_time_out_goes_with_the_call(
    words: list[str], server: Scripted, postroom: Postroom, given: list[str], sent: str
) -> None:
    postroom(*words, *given)
    (asked,) = server.asked
    assert asked.headers["Grpc-Timeout"] == sent
