"""S5: a look into another mailbox is one row, and without the row there is no text."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from google.protobuf.message import Message

from agent.v1.mail_pb2 import READER_PROOF_NAMED, MailboxReadEvent
from postroom.records import MailboxRead
from postroom.rpc.contract import Spec
from postroom.storage import held
from postroom.storage.database import Connection
from postroom.storage.failures import StoreFailure
from tests.acceptance.doors import GrpcDoor, open_channel
from tests.acceptance.polling import eventually
from tests.room import CONTRACT
from tests.security.callers import Kind
from tests.security.listeners import HAS_MCP, Listeners, listening
from tests.security.surfaces import OK, Cli, Grpc, Json, Mcp, headers, posted

SPECS = {spec.name: spec for spec in CONTRACT.specs}
SURFACES = (Grpc, Json, Cli, *((Mcp,) if HAS_MCP else ()))
TEXT = "between alfa and bravo"
# What the record calls each of them; the command line speaks JSON.
WAYS_IN = {"gRPC": "grpc", "JSON": "json", "CLI": "json", "MCP": "mcp"}
_PREFIX = "MAILBOX_READ_EVENT_"
KINDS = {
    "full": "RESOURCE_EXHAUSTED",
    "busy": "UNAVAILABLE",
    "read_only": "FAILED_PRECONDITION",
}


@pytest.fixture
def listeners(tmp_path: Path) -> Iterator[Listeners]:
    with listening(f"sqlite:///{tmp_path / 'mail.db'}", trusted=True) as found:
        yield found


@pytest.fixture
def door(listeners: Listeners) -> Iterator[GrpcDoor]:
    found = GrpcDoor(listeners.grpc)
    yield found
    found.close()


@pytest.fixture
def people(door: GrpcDoor) -> dict[str, str]:
    """Three agents; bravo has mail that is none of carol's business."""
    names = ("alfa", "bravo", "carol")
    found = {name: door.call("CreateAgent", name=name, workflow="w").agent.id for name in names}
    door.call("SendMail", found["alfa"], to=found["bravo"], body=TEXT)
    return found


@pytest.mark.parametrize("make", SURFACES, ids=lambda make: make.name)
@pytest.mark.parametrize("method", ["ListMail", "WatchMail"])
def test_one_look_is_one_row_and_none_without_a_look(
    listeners: Listeners, door: GrpcDoor, people: dict[str, str], make: type[Grpc], method: str
) -> None:
    surface, spec = make({True: listeners}), SPECS[method]
    if surface.serves(spec):
        waiting = {"include_waiting": True} if spec.streams_responses else {}
        carol, bravo = (Kind(name, True, agent_id=people[name]) for name in ("carol", "bravo"))
        request = spec.request_class(id=people["bravo"], **waiting)
        assert surface.outcome(bravo, spec, request) == OK
        assert not door.call("ListMailboxReads", people["bravo"]).reads
        assert surface.outcome(carol, spec, request) == OK
        reads = _recorded(door, people["bravo"], 1 + spec.streams_responses)
        events = [MailboxReadEvent.Name(read.event).removeprefix(_PREFIX) for read in reads]
        streamed = ["WATCH_CLOSED", "WATCH_OPENED"]
        assert events == (streamed if spec.streams_responses else ["LOOKED"])
        for read in reads:
            assert (read.reader_agent_id, read.method) == (people["carol"], spec.full_name)
            assert (read.surface, read.peer) == (WAYS_IN[surface.name], "127.0.0.1")
            assert read.proof == READER_PROOF_NAMED
        assert (reads[0].mail_count, reads[0].first_mail_id) == (1, reads[0].last_mail_id)
        assert reads[0].first_mail_id
    surface.close()


def _recorded(door: GrpcDoor, id: str, count: int) -> list[Any]:
    """The record of a mailbox, once it is this long; a watch ends soon after its caller left."""
    reads: list[Any] = []

    def are_there() -> bool:
        reads[:] = door.call("ListMailboxReads", id=id).reads
        return len(reads) >= count

    eventually(are_there, 10.0, "the look is recorded")
    assert len(reads) == count
    return reads


@pytest.mark.parametrize("make", SURFACES, ids=lambda make: make.name)
@pytest.mark.parametrize("method", ["ListMail", "WatchMail"])
def test_where_the_row_cannot_be_written_nothing_is_shown(
    listeners: Listeners,
    people: dict[str, str],
    make: type[Grpc],
    method: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    surface, spec = make({True: listeners}), SPECS[method]
    waiting = {"include_waiting": True} if spec.streams_responses else {}
    for who in ("carol", "operator"):
        kind = Kind(who, True, agent_id=people.get(who, ""))
        for failure, code in KINDS.items():
            _break(monkeypatch, failure)
            request = spec.request_class(id=people["bravo"], **waiting)
            if surface.serves(spec):
                told = surface.outcome(kind, spec, request)
                assert told in (f"{code} AUDIT_UNAVAILABLE", code)
    surface.close()


def _grpc_says(listeners: Listeners, id: str, spec: Spec, request: Message) -> bytes:
    channel = open_channel(listeners.grpc)
    make: Any = channel.unary_stream if spec.streams_responses else channel.unary_unary
    call = make(f"/{spec.full_name}")
    try:
        answer = call(request.SerializeToString(), metadata=(("postroom-agent-id", id),))
        return b"".join(answer) if spec.streams_responses else bytes(answer)
    except grpc.RpcError as error:
        return str(error).encode()
    finally:
        channel.close()


def _http_says(path: str, content_type: str, body: bytes, listeners: Listeners, id: str) -> bytes:
    told = {
        "Content-Type": content_type,
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
        "postroom-agent-id": id,
    }
    with posted(listeners.http, path, body, told) as answer:
        return answer.read()


def _json_says(listeners: Listeners, id: str, spec: Spec, request: Message) -> bytes:
    body = json_format.MessageToJson(request).encode()
    return _http_says(f"/{spec.full_name}", "application/json", body, listeners, id)


def _connect_says(listeners: Listeners, id: str, spec: Spec, request: Message) -> bytes:
    body = request.SerializeToString()
    return _http_says(f"/{spec.full_name}", "application/proto", body, listeners, id)


def _mcp_says(listeners: Listeners, id: str, spec: Spec, request: Message) -> bytes:
    params = {"name": spec.snake_name, "arguments": json_format.MessageToDict(request)}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return _http_says("/mcp", "application/json", json.dumps(call).encode(), listeners, id)


Says = Callable[[Listeners, str, Spec, Message], bytes]
WIRES: tuple[tuple[Says, str], ...] = (
    (_grpc_says, "ListMail"),
    (_grpc_says, "WatchMail"),
    (_json_says, "ListMail"),
    (_json_says, "WatchMail"),
    (_connect_says, "ListMail"),
    *(((_mcp_says, "ListMail"),) if HAS_MCP else ()),
)
CLOSED = """
CREATE TRIGGER closed BEFORE INSERT ON mailbox_read BEGIN SELECT RAISE(ABORT, 'closed'); END
"""


@pytest.mark.parametrize(("says", "method"), WIRES)
def test_no_text_is_on_the_wire_when_the_table_takes_no_rows(
    listeners: Listeners, people: dict[str, str], says: Says, method: str, tmp_path: Path
) -> None:
    spec = SPECS[method]
    fields: Any = {"include_waiting": True} if spec.streams_responses else {}
    request = spec.request_class(id=people["bravo"], **fields)
    if not spec.streams_responses:
        assert TEXT.encode() in says(listeners, people["carol"], spec, request)
    with closing(sqlite3.connect(tmp_path / "mail.db")) as database:
        database.execute(CLOSED)
    said = says(listeners, people["carol"], spec, request)
    assert said
    assert TEXT.encode() not in said
    assert b"closed" not in said


@pytest.mark.parametrize(("says", "method"), WIRES)
def test_the_wire_says_that_the_look_could_not_be_written_down(
    listeners: Listeners,
    people: dict[str, str],
    says: Says,
    method: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _break(monkeypatch, "full")
    spec = SPECS[method]
    said = says(listeners, people["carol"], spec, spec.request_class(id=people["bravo"]))
    assert b"could not be written down" in said
    assert TEXT.encode() not in said


def test_the_own_mailbox_needs_no_record(
    listeners: Listeners, people: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _break(monkeypatch, "full")
    told = headers(Kind("bravo", True, agent_id=people["bravo"]))
    body, path = b"{}", "/agent.v1.AgentService/ListMail"
    with posted(listeners.http, path, body, told | {"Content-Type": "application/json"}) as answer:
        assert TEXT in answer.read().decode()


def _break(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    def fail(connection: Connection, reads: Sequence[MailboxRead]) -> None:
        del connection, reads
        raise StoreFailure(kind)

    monkeypatch.setattr(held, "append", fail)
