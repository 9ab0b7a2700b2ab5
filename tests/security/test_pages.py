"""S3: what a page in the person's browser can try, on every kind of call of the HTTP port."""

import http.client
import json
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.doors import GrpcDoor
from tests.acceptance.polling import eventually
from tests.security.listeners import HAS_MCP, Listeners, listening
from tests.security.surfaces import posted

JSON = "application/json"
SEND = "/agent.v1.AgentService/SendMail"
SECRET = "a secret between the person and alfa"
PAGE = Path(__file__).with_name("hostile_page.html")


@pytest.fixture
def listeners(tmp_path: Path) -> Iterator[Listeners]:
    with listening(f"sqlite:///{tmp_path / 'mail.db'}", trusted=True) as found:
        yield found


@pytest.fixture
def door(listeners: Listeners) -> Iterator[GrpcDoor]:
    """A local client; a mail of alfa's waits for the operator."""
    found = GrpcDoor(listeners.grpc)
    alfa = found.call("CreateAgent", name="alfa", workflow="w").agent.id
    found.call("SendMail", alfa, to="operator", body=SECRET)
    yield found
    found.close()


def json_call(body: Any) -> tuple[str, bytes, dict[str, str]]:
    return SEND, json.dumps(body).encode(), {"Content-Type": JSON}


def connect_call(body: Any) -> tuple[str, bytes, dict[str, str]]:
    path, content, told = json_call(body)
    return path, content, told | {"Connect-Protocol-Version": "1"}


def mcp_call(body: Any) -> tuple[str, bytes, dict[str, str]]:
    params = {"name": "send_mail", "arguments": body}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    told = {
        "Content-Type": JSON,
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }
    return "/mcp", json.dumps(call).encode(), told


Make = Callable[[Any], tuple[str, bytes, dict[str, str]]]
Refusal = tuple[int, str]
CALLS = (json_call, connect_call, *((mcp_call,) if HAS_MCP else ()))


@pytest.mark.parametrize("make", CALLS)
@pytest.mark.parametrize(
    ("headers", "refusal"),
    [
        ({"Host": "rebind.example"}, (421, "BAD_HOST")),
        ({"X-Forwarded-For": "127.0.0.1"}, (403, "PROXIED")),
        ({"Origin": "null"}, (403, "BAD_ORIGIN")),
        ({"Origin": "http://evil.example"}, (403, "BAD_ORIGIN")),
        ({"Sec-Fetch-Site": "cross-site"}, (403, "CROSS_SITE")),
        ({"Sec-Fetch-Site": "same-site"}, (403, "CROSS_SITE")),
        ({"Content-Type": "text/plain"}, (415, "BAD_CONTENT_TYPE")),
        ({"Content-Type": "application/x-www-form-urlencoded"}, (415, "BAD_CONTENT_TYPE")),
    ],
    ids=str,
)
def test_s3_what_a_page_sends_is_refused_before_anything_is_done(
    listeners: Listeners, door: GrpcDoor, make: Make, headers: dict[str, str], refusal: Refusal
) -> None:
    status, reason = refusal
    path, content, told = make({"to": "alfa", "body": "from a page"})
    with posted(listeners.http, path, content, told | headers) as response:
        assert response.status == status
        assert json.loads(response.read())["details"][0]["reason"] == reason
    with posted(listeners.http, path, content, told) as response:
        assert response.status == 200, "a local program passes"
        assert "isError" not in (text := response.read().decode()) or '"isError":false' in text
    assert len(door.call("ListMail", id="", direction="MAIL_DIRECTION_SENT").mail) == 1


@pytest.mark.program("chromium")
def test_a_hostile_page_in_a_browser_sends_nothing_and_reads_nothing(
    listeners: Listeners, door: GrpcDoor, tmp_path: Path
) -> None:
    with hostile_site(listeners.http) as (site, reports), browsing(site, tmp_path):
        eventually(lambda: "done" in reports, 60, "the page has tried everything")
    tried = {name: told for name, told in reports.items() if name != "done"}
    assert len(tried) > 12
    assert not [name for name, told in tried.items() if SECRET in told]
    # What a page may not read is opaque to it or fails; it never gets a status.
    assert {told.split()[0] for told in tried.values()} <= {"failed", "opaque", "sent", "blocked"}
    assert not door.call("ListMail", direction="MAIL_DIRECTION_SENT").mail
    (mine,) = door.call("ListMail").mail
    assert (mine.body, mine.claimed_at) == (SECRET, "")
    assert [agent.name for agent in door.call("ListAgents").agents] == ["alfa"]
    assert not door.call("ListTokens").tokens


@pytest.mark.program("chromium")
def test_a_name_that_was_bound_anew_shows_nothing(
    listeners: Listeners, door: GrpcDoor, tmp_path: Path
) -> None:
    assert door.call("ListMail").mail
    port = listeners.http.rpartition(":")[2]
    for host, shown in (("rebind.example", "BAD_HOST"), ("127.0.0.1", SECRET)):
        command = [*_chromium(tmp_path), "--dump-dom", f"http://{host}:{port}/v1/mail"]
        page = subprocess.run(command, check=True, capture_output=True, timeout=60, text=True)
        assert shown in page.stdout
        assert (SECRET in page.stdout) == (shown == SECRET)


class hostile_site:  # noqa: N801 - used as a block
    """A site of another origin, with a page that attacks the address and reports."""

    def __init__(self, target: str) -> None:
        self._reports: dict[str, str] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(target))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> tuple[str, dict[str, str]]:
        self._thread.start()
        return f"http://127.0.0.1:{self._server.server_port}/", self._reports

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self, target: str) -> type[BaseHTTPRequestHandler]:
        reports = self._reports

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = PAGE.read_text().replace("TARGET", target).encode()
                self.send_response(http.HTTPStatus.OK)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                name, _, told = body.partition("\n")
                reports[name] = told
                self.send_response(http.HTTPStatus.NO_CONTENT)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


class browsing:  # noqa: N801 - used as a block
    """A browser that has a page open."""

    def __init__(self, url: str, folder: Path) -> None:
        self._command = [*_chromium(folder), "--remote-debugging-port=0", url]

    def __enter__(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(20)


def _chromium(folder: Path) -> list[str]:
    return [
        shutil.which("chromium") or "chromium",
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        "--host-resolver-rules=MAP rebind.example 127.0.0.1",
        f"--user-data-dir={folder / 'browser'}",
    ]
