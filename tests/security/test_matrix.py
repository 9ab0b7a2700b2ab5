"""Who may do what: every method, for every kind of caller, through every surface."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.message import Message

from postroom.rpc.contract import Spec
from tests.room import CONTRACT
from tests.security import matrix_page
from tests.security.callers import OPERATOR, UNNAMED, Kind, World, kinds, own, populate
from tests.security.expectations import OK, Row
from tests.security.listeners import HAS_MCP, Listeners, listening
from tests.security.message_expectations import ROWS
from tests.security.surfaces import NOT_OFFERED, Cli, Grpc, Json, Mcp, Surface

SPECS = {spec.name: spec for spec in CONTRACT.specs}
SURFACES = (Grpc, Json, Cli, *((Mcp,) if HAS_MCP else ()))
PAGE = Path(__file__).parents[2] / "docs/authorization.md"


House = tuple[World, dict[bool, Listeners]]


@pytest.fixture(scope="module")
def house(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[House]:
    """Two servers on one database, one that trusts and one that does not, and everybody."""
    database = f"sqlite:///{tmp_path_factory.mktemp('matrix') / 'mail.db'}"
    world = populate(database)
    with listening(database, trusted=True) as open_, listening(database, trusted=False) as closed:
        yield world, {True: open_, False: closed}


def test_every_method_has_a_row() -> None:
    assert {row.method for row in ROWS} == set(SPECS)


@pytest.mark.parametrize("make", SURFACES, ids=lambda make: make.name)
def test_whoever_is_somebody_may_do_what_the_table_says(house: House, make: type[Grpc]) -> None:
    world, listeners = house
    surface = make(listeners)
    found, expected = {}, {}
    for row in ROWS:
        for kind in kinds(world):
            if kind.role and row.expected(kind.role) and surface.serves(SPECS[row.method]):
                cell = (row.method, row.what, kind.name)
                expected[cell] = _shown(surface, kind, SPECS[row.method], row.expected(kind.role))
                found[cell] = _outcome(surface, kind, row, world, listeners)
    surface.close()
    assert found == expected


@pytest.mark.parametrize("make", SURFACES, ids=lambda make: make.name)
def test_whoever_is_nobody_may_do_nothing(house: House, make: type[Grpc]) -> None:
    world, listeners = house
    surface = make(listeners)
    found, expected = {}, {}
    for spec in SPECS.values():
        row = next(row for row in ROWS if row.method == spec.name)
        for kind in kinds(world):
            if not kind.role and surface.serves(spec):
                cell = (spec.name, kind.name)
                expected[cell] = _shown(surface, kind, spec, kind.refusal)
                found[cell] = _outcome(surface, kind, row, world, listeners)
    surface.close()
    assert found == expected


def test_the_page_says_what_was_tried(capsys: pytest.CaptureFixture[str]) -> None:
    page = matrix_page.page()
    with capsys.disabled():
        print(f"\n{matrix_page.table()}")
    assert PAGE.read_text() == page, "write it again: python -m tests.security.matrix_page"


def _outcome(
    surface: Surface, kind: Kind, row: Row, world: World, listeners: dict[bool, Listeners]
) -> str:
    spec = SPECS[row.method]
    fields = dict(row.request(kind, world))
    if spec.name in ("WatchMail", "WaitForMail"):
        # Something waits, so that an answer comes at once.
        _send(listeners, world, own(kind, world) if not fields else world.ids["bravo"])
    if spec.streams_responses:
        fields["include_waiting"] = True
    request: Message = spec.request_class(**fields)
    return surface.outcome(kind, spec, request)


def _send(listeners: dict[bool, Listeners], world: World, to: str) -> None:
    sender = Kind("carol", True, agent_id=world.ids["alfa"])
    if to == world.ids["alfa"]:
        sender = Kind("operator", True)
    surface = Grpc(listeners)
    request = SPECS["SendMail"].request_class(to=to, body="so that something waits")
    assert surface.outcome(sender, SPECS["SendMail"], request) == OK
    surface.close()


def _shown(surface: Surface, kind: Kind, spec: Spec, outcome: str) -> str:
    """An outcome as the surface shows it."""
    # Whoever names nobody is shown the operator's tools, and then has to prove it; whoever is
    # nobody is told that, whatever it asks for.
    is_agent = kind.role and kind.role not in (OPERATOR, UNNAMED)
    if surface.name == "MCP" and "implementer" not in spec.roles and is_agent:
        return NOT_OFFERED
    return outcome.partition(" ")[0] if surface.name == "CLI" else outcome
