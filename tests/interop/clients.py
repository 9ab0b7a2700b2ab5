"""Each client: how it is started, and what it must have seen."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.interop import commands, golang, stubs, toolchain
from tests.interop.server import Server
from tests.interop.toolchain import GO_TOOLS, ROOT

_STUBS = Path(__file__).parent / "python_stubs/client.py"
_NOT_FOUND = re.compile(r"error (code: )?(NOT_?FOUND|not_found) AGENT_NOT_FOUND", re.IGNORECASE)
_STREAMS = ("SERVING", "reflection")
_SECONDS = 60


@dataclass(frozen=True)
class Client:
    """A client and its start; `run` prints a line for each thing that was seen."""

    name: str
    version: str
    transport: str
    run: Callable[[Server, str], str]
    # Connect streams are not served, and a client must be told so.
    streams: tuple[str, ...] = _STREAMS


def seen(client: Client, server: Server, agent: str) -> str:
    """Run a client; returns what it saw. Raises ToolFailed when something is missing."""
    lines = client.run(server, agent).splitlines()
    told = dict(line.partition(" ")[::2] for line in lines if " " in line)
    problems = [name for name in ("send", "list", "read", "error", "stream") if name not in told]
    if not problems:
        checks = {
            "send": told["send"].startswith("mail_"),
            "list": int(told["list"]) >= 1,
            "read": told["read"].startswith("from "),
            "error": _NOT_FOUND.fullmatch(f"error {told['error']}") is not None,
            "stream": told["stream"].lower() in map(str.lower, client.streams),
        }
        problems = [name for name, fine in checks.items() if not fine]
    if problems:
        raise toolchain.ToolFailed(f"{', '.join(problems)} went wrong: {lines}")
    return f"sent, listed, read, {told['error']}, {told['stream']}"


def _run(*command: str | Path) -> str:
    return toolchain.run(*command, seconds=_SECONDS)


def _grpc_go(server: Server, agent: str) -> str:
    program = golang.built("grpc_go", "protoc-gen-go", "protoc-gen-go-grpc")
    return _run(program, server.target, agent)


def _connect_go(kind: str) -> Callable[[Server, str], str]:
    def run(server: Server, agent: str) -> str:
        program = golang.built("connect_go", "protoc-gen-go", "protoc-gen-connect-go")
        url = f"http://{server.target}" if kind == "grpc" else server.url
        return _run(program, kind, url, agent)

    return run


def _grpc_js(server: Server, agent: str) -> str:
    import google.api.http_pb2

    common = Path(google.api.http_pb2.__file__).parents[2]
    script = stubs.node() / "grpc_js.mjs"
    return _run(toolchain.need("node"), script, server.target, agent, ROOT / "proto", common)


def _connect_node(kind: str) -> Callable[[Server, str], str]:
    def run(server: Server, agent: str) -> str:
        url = f"http://{server.target}" if kind == "grpc" else server.url
        script = stubs.node() / "connect_node.mjs"
        return _run(toolchain.need("node"), script, kind, url, agent)

    return run


def _python(server: Server, agent: str) -> str:
    # Isolated, so that nothing comes from the checkout.
    return _run(stubs.wheel(), "-I", _STUBS, server.target, agent)


def _java(server: Server, agent: str) -> str:
    return _run(toolchain.need("java"), "-cp", stubs.java(), "Client", server.target, agent)


def clients() -> list[Client]:
    """Every client, in the order of the table."""
    packages = stubs.versions("node")
    go = {name: version.removeprefix("v") for name, (_, version) in GO_TOOLS.items()}
    buf = stubs.installed("buf-bin")
    connect, connect_go = packages["@connectrpc/connect-node"], go["protoc-gen-connect-go"]
    unserved = ("unimplemented", "unknown", "none")
    return [
        Client("grpcurl", go["grpcurl"], "gRPC, reflection", commands.grpcurl),
        Client("buf curl", buf, "gRPC, reflection", commands.buf_by_grpc),
        Client("buf curl", buf, "Connect, proto", commands.buf_by_connect, unserved),
        Client("grpc-go", stubs.required("grpc_go", "google.golang.org/grpc"), "gRPC", _grpc_go),
        Client("connect-go", connect_go, "gRPC", _connect_go("grpc")),
        Client("connect-go", connect_go, "Connect, proto", _connect_go("connect"), unserved),
        Client("grpc-js", packages["@grpc/grpc-js"], "gRPC", _grpc_js),
        Client("connect-node", connect, "gRPC", _connect_node("grpc")),
        Client("connect-node", connect, "Connect, JSON", _connect_node("json"), unserved),
        Client("connect-node", connect, "Connect, proto", _connect_node("proto"), unserved),
        Client("Python stubs", stubs.installed("grpcio"), "gRPC", _python),
        Client("grpc-java", stubs.java_version(), "gRPC", _java),
    ]
