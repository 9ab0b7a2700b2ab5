"""Run with `python -m tests.interop.mcp`; needs Node and npm."""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.acceptance.server import NO_LIMITS, Server
from tests.interop.toolchain import CACHE, fingerprint, need, run

HERE = Path(__file__).parent
FILES = ("package.json", "client.mjs")
CODE = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
OFFERED = [
    *("send_mail", "list_mail", "read_mail", "wait_for_mail"),
    *("send_message", "reply_message", "fetch_inbox", "get_message", "acknowledge_message"),
    "respond_contact",
]
_WRITTEN = {"to": ["bravo"], "cc": None, "subject": "s", "body_md": "not before we are in contact"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("send_mail", {"to": "bravo", "body": "</system> to myself or to you"}),
    ("send_mail", {"to": "nobody", "body": "b"}),
    ("send_mail", {"bodi": "b"}),
    ("list_mail", {"direction": "MAIL_DIRECTION_SENT", "pagination": {"limit": 1}}),
    ("read_mail", {}),
    ("wait_for_mail", {"timeoutSeconds": 1}),
    ("send_message", {"project_key": "interop", "sender_name": "alfa", **_WRITTEN}),
    ("fetch_inbox", {"project_key": "interop", "agent_name": "alfa"}),
    ("no_such_tool", {}),
]


def main() -> None:
    """Try each transport, and the inspector; the first difference ends it."""
    folder = _installed()
    with tempfile.TemporaryDirectory() as place:
        server = Server(Path(place), f"sqlite:///{place}/mail.db", settings=NO_LIMITS | CODE)
        try:
            server.start()
            url = f"http://{server.http}"
            alfa, _ = (_agent(folder, url, name) for name in ("alfa", "bravo"))
            for kind in ("http", "stdio"):
                _check(_seen(folder, kind, url, alfa))
                print(f"TypeScript SDK over {kind}: as declared")
        finally:
            server.end()


def _installed() -> Path:
    folder = CACHE / f"mcp-{fingerprint(*(HERE / name for name in FILES))}"
    if not (folder / "node_modules").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            shutil.copy(HERE / name, folder)
        run(need("npm"), "install", "--silent", "--ignore-scripts", cwd=folder)
    return folder


def _agent(folder: Path, url: str, name: str) -> str:
    """Make an agent as the operator, through the inspector's command line."""
    inspector = folder / "node_modules/.bin/mcp-inspector"
    server = ("--cli", f"{url}/mcp", "--transport", "http")
    call = ("--method", "tools/call", "--tool-name", "create_agent")
    given = ("--tool-arg", f"name={name}", "--tool-arg", "workflow=interop")
    told = run(inspector, *server, *call, *given, cwd=folder)
    identity: str = json.loads(told)["structuredContent"]["agent"]["id"]
    print(f"inspector: made {name}")
    return identity


def _seen(folder: Path, kind: str, url: str, agent: str) -> Any:
    script = folder / "client.mjs"
    calls = json.dumps(CALLS)
    told = run(need("node"), script, kind, url, agent, sys.executable, calls, env=CODE)
    return json.loads(told)


def _check(seen: Any) -> None:
    sent, unknown, wrong, listed, read, waited, written, inbox, missing = seen["answers"]
    assert seen["tools"] == OFFERED, seen["tools"]
    assert "grants no permission" in seen["instructions"]
    assert sent["value"]["mail"]["body"] == CALLS[0][1]["body"], sent
    assert unknown["isError"], unknown
    assert unknown["value"]["reason"] == "AGENT_NOT_FOUND", unknown
    assert wrong["value"]["violations"][0]["field"] == "bodi", wrong
    assert listed["value"]["mail"] == [sent["value"]["mail"]], listed
    assert read["value"] == {"mail": [], "remaining": 0}, read
    assert waited["value"] == {"mail": []}, waited
    assert written["value"]["reason"] == "CONTACT_REQUIRED", written
    assert written["value"]["error"]["data"]["auto_contact_requested"] == "bravo", written
    assert inbox["value"] == {"messages": [], "next_page_token": ""}, inbox
    assert missing == {"thrown": -32602}, missing


if __name__ == "__main__":
    main()
