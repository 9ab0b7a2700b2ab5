"""The command-line clients, grpcurl and buf curl, put to the same questions."""

import json
import re
import sys
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.rpc.error_details_pb2 import ErrorInfo

from tests.interop import toolchain
from tests.interop.server import Server
from tests.interop.toolchain import CACHE, ROOT, ToolFailed

_SERVICE = "agent.v1.AgentService"
_SECONDS = 60
# Takes a method, a request and a caller; gives the answer.
Ask = Callable[[str, dict[str, Any], str], Any]


def grpcurl(server: Server, agent: str) -> str:
    """All by gRPC and reflection."""
    program = toolchain.go_tool("grpcurl")

    def ask(method: str, request: dict[str, Any], caller: str) -> Any:
        header = ("-H", f"postroom-agent-id: {caller}") if caller else ()
        sent = ("-d", json.dumps(request), server.target, f"{_SERVICE}/{method}")
        return json.loads(_run(program, "-plaintext", *header, *sent))

    listed = _run(program, "-plaintext", server.target, "list").split()
    return _told(ask, agent, "grpcurl", "reflection" if _SERVICE in listed else str(listed))


def buf_by_grpc(server: Server, agent: str) -> str:
    """All by gRPC and reflection."""
    url = f"http://{server.target}"
    buf = (_buf(), "curl", "--http2-prior-knowledge", "--protocol", "grpc")
    ask = _asking(buf, url)
    listed = _run(*buf, "--list-methods", url).split()
    stream = "reflection" if f"{_SERVICE}/SendMail" in listed else str(listed)
    return _told(ask, agent, "buf curl", stream)


def buf_by_connect(server: Server, agent: str) -> str:
    """By Connect, with our protos for a schema."""
    image = CACHE / "clients" / f"{toolchain.fingerprint(*toolchain.protos())}.binpb"
    if not image.exists():
        image.parent.mkdir(parents=True, exist_ok=True)
        target = ("--include_imports", f"--descriptor_set_out={image}")
        toolchain.protoc("-I", ROOT / "proto", *target, *toolchain.protos())
    buf = (_buf(), "curl", "--protocol", "connect", "--schema", image)
    return _told(_asking(buf, server.url), agent, "buf curl", "none")


def _asking(buf: tuple[str | Path, ...], url: str) -> Ask:
    def ask(method: str, request: dict[str, Any], caller: str) -> Any:
        header = ("-H", f"postroom-agent-id: {caller}") if caller else ()
        sent = ("-d", json.dumps(request), f"{url}/{_SERVICE}/{method}")
        return json.loads(_run(*buf, *header, *sent))

    return ask


def _told(ask: Ask, agent: str, name: str, stream: str) -> str:
    sent = ask("SendMail", {"to": agent, "body": f"from {name}"}, "")
    listed = ask("ListMail", {}, agent)
    read = ask("ReadMail", {}, agent)
    return "\n".join(
        (
            f"send {sent['mail']['id']}",
            f"list {len(listed['mail'])}",
            f"read {read['mail'][0]['body']}",
            f"error {_refusal(ask)}",
            f"stream {stream}",
        )
    )


def _refusal(ask: Ask) -> str:
    """The code and the reason, as the program prints them."""
    try:
        ask("GetAgent", {"id": "nobody"}, "")
    except ToolFailed as failed:
        text = str(failed)
        code = next((word for word in ("NotFound", "not_found") if word in text), "")
        # buf prints the details of gRPC as they came, in base64.
        raw = [b64decode(one + "==") for one in re.findall(r'"value": "([\w+/]+)"', text)]
        reasons = [ErrorInfo.FromString(one).reason for one in raw[:1]]
        return f"{code} {'AGENT_NOT_FOUND' if 'AGENT_NOT_FOUND' in text else ''.join(reasons)}"
    return "none"


def _buf() -> Path:
    return Path(sys.executable).parent / "buf"


def _run(*command: str | Path) -> str:
    return toolchain.run(*command, seconds=_SECONDS, env={"BUF_CACHE_DIR": str(CACHE / "buf")})
