"""Everything that others wrote, against this server: python -m tests.interop.run.

Nothing is left out: what cannot run has failed. `--write` renews the table of clients
in docs/interop.md, which is compared with what was seen otherwise.
"""

import asyncio
import re
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.interop import openapi
from tests.interop.clients import Client, clients, seen
from tests.interop.gateway import oracle
from tests.interop.server import Server, serving
from tests.interop.toolchain import GO_TOOLS, ROOT, ToolFailed

DOCS = ROOT / "docs/interop.md"
HEAD = "| client | version | transport | what was seen |\n|---|---|---|---|\n"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    client: str
    version: str
    transport: str
    told: str
    passed: bool = True

    def __str__(self) -> str:
        return f"| {self.client} | {self.version} | {self.transport} | {self.told} |"


def main(arguments: list[str]) -> int:
    """Run everything; returns the exit status."""
    began = time.monotonic()
    gateway = GO_TOOLS["protoc-gen-grpc-gateway"][1].removeprefix("v")
    rows = [_row("grpc-gateway", gateway, "gRPC behind it", _oracle)]
    with serving() as server:
        rows += [_document(server), _behaviour(server)]
    own = _clients()
    docs = _docs(own, write="--write" in arguments)
    print(f"\n{HEAD}{_lines([*rows, *own, docs])}")
    failed = sum(not row.passed for row in (*rows, *own, docs))
    print(f"interop: done in {time.monotonic() - began:.0f} s")
    print(f"{len(rows) + len(own) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


def _oracle() -> str:
    tally = asyncio.run(oracle.run())
    if not tally.passed:
        raise ToolFailed(tally.summary)
    return tally.summary.removeprefix("oracle: ")


def _document(server: Server) -> Row:
    version = openapi.VALIDATOR.partition("==")[2]
    return _row("openapi-spec-validator", version, "HTTP", lambda: openapi.document(server))


def _behaviour(server: Server) -> Row:
    version = openapi.SCHEMATHESIS.partition("==")[2]
    return _row("schemathesis", version, "HTTP", lambda: openapi.behaviour(server))


def _clients() -> list[Row]:
    with serving() as server:
        return [
            _row(
                client.name,
                client.version,
                client.transport,
                _seen(client, server, f"peer{number}"),
            )
            for number, client in enumerate(clients())
        ]


def _seen(client: Client, server: Server, name: str) -> Callable[[], str]:
    return lambda: seen(client, server, server.agent(name))


def _row(client: str, version: str, transport: str, run: Callable[[], str]) -> Row:
    """Run one thing and tell how it went."""
    began = time.monotonic()
    try:
        row = Row(client, version, transport, run())
    except Exception as error:
        print(f"{client} ({transport}) failed: {type(error).__name__}: {error}")
        row = Row(client, version, transport, "FAILED, as told above", passed=False)
    print(f"{client}, {transport}: {time.monotonic() - began:.0f} s", flush=True)
    return row


def _docs(rows: Iterable[Row], *, write: bool) -> Row:
    """Compare the table in the docs with the rows, or write it."""
    text = DOCS.read_text()
    before, _, rest = text.partition(HEAD)
    after = re.sub(r"\A(\|.*\n)*", "", rest)
    renewed = f"{before}{HEAD}{_lines(rows)}\n{after}"
    if write:
        DOCS.write_text(renewed)
    told = "its table is what was seen" if write or renewed == text else "run with --write"
    return Row("docs/interop.md", "", "", told, passed=write or renewed == text)


def _lines(rows: Iterable[Row]) -> str:
    return "\n".join(map(str, rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
