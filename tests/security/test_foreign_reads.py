"""S5: a look into another mailbox is one row, and without the row there is no text."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from postroom.records import MailboxRead
from postroom.storage.failures import StoreFailure
from postroom.storage.session import Session
from tests.acceptance.doors import GrpcDoor
from tests.room import CONTRACT
from tests.security.callers import Kind
from tests.security.listeners import HAS_MCP, Listeners, listening
from tests.security.surfaces import OK, Cli, Grpc, Json, Mcp, headers, posted

SPECS = {spec.name: spec for spec in CONTRACT.specs}
SURFACES = (Grpc, Json, Cli, *((Mcp,) if HAS_MCP else ()))
TEXT = "between alfa and bravo"
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
        (read,) = door.call("ListMailboxReads", people["bravo"]).reads
        assert (read.reader_agent_id, read.method) == (people["carol"], spec.full_name)
    surface.close()


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


@pytest.mark.parametrize(
    "path", ["/v1/agents/{}/mail", "/v1/agents/{}/mail:watch?includeWaiting=true"]
)
def test_no_text_is_on_the_wire(
    listeners: Listeners, people: dict[str, str], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import http.client

    _break(monkeypatch, "full")
    told = headers(Kind("carol", True, agent_id=people["carol"]))
    connection = http.client.HTTPConnection(listeners.http, timeout=10)
    connection.request("GET", path.format(people["bravo"]), headers=told)
    answer = connection.getresponse().read().decode()
    connection.close()
    assert "AUDIT_UNAVAILABLE" in answer
    assert TEXT not in answer


def test_the_own_mailbox_needs_no_record(
    listeners: Listeners, people: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _break(monkeypatch, "full")
    told = headers(Kind("bravo", True, agent_id=people["bravo"]))
    body, path = b"{}", "/agent.v1.AgentService/ListMail"
    with posted(listeners.http, path, body, told | {"Content-Type": "application/json"}) as answer:
        assert TEXT in answer.read().decode()


def _break(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    def fail(session: Session, read: MailboxRead) -> None:
        del read
        session.writing()
        raise StoreFailure(kind)

    monkeypatch.setattr(Session, "record_read", fail)
