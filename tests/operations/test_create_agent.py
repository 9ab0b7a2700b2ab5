"""CreateAgent: who may make whom, in which workflow, under which name."""

from functools import partial
from typing import Any

import pytest

from agent.v1.agent_pb2 import AGENT_STATE_DORMANT, AGENT_STATE_RUNNING, Agent
from postroom.errors import Code
from postroom.storage.store import Store
from tests.operations.tables import contents, together
from tests.room import Room, refused


def test_the_answer_holds_the_agent_as_it_was_stored(room: Room) -> None:
    boss = room.agent("boss")
    made = room.agent(
        "alfa",
        boss.workflow_id,
        role="reviewer",
        parent_id=boss.id,
        program="claude-code",
        model="some-model",
        task_description="reads the parser",
        state=AGENT_STATE_DORMANT,
    )
    assert made == Agent(
        id=made.id,
        name="alfa",
        workflow_id=boss.workflow_id,
        role="reviewer",
        parent_id=boss.id,
        state=AGENT_STATE_DORMANT,
        program="claude-code",
        model="some-model",
        task_description="reads the parser",
        created_at="2026-12-01T09:30:00.000000Z",
        last_active_at="2026-12-01T09:30:00.000000Z",
        waiting=0,
        contact_policy="auto",
        attachments_policy="auto",
    )
    assert made.id.startswith("agt_")
    assert room.call("GetAgent", id=made.id).agent == made


def test_an_agent_runs_and_has_no_parent_unless_said_otherwise(room: Room) -> None:
    made = room.agent("alfa")
    assert made.state == AGENT_STATE_RUNNING
    assert not made.HasField("parent_id")
    assert made.role == ""


def test_a_new_key_makes_a_workflow_and_a_known_key_or_id_joins_it(room: Room) -> None:
    first = room.agent("alfa", "a key with spaces/\N{SNOWMAN}")
    assert first.workflow_id.startswith("wfl_")
    assert room.agent("bravo", "a key with spaces/\N{SNOWMAN}").workflow_id == first.workflow_id
    assert room.agent("carol", first.workflow_id).workflow_id == first.workflow_id
    assert room.agent("delta", "another").workflow_id != first.workflow_id
    keys = [workflow.key for workflow in room.call("ListWorkflows").workflows]
    assert keys == ["a key with spaces/\N{SNOWMAN}", "another"]


def _refusal(room: Room, as_: str = "", **fields: Any) -> tuple[Code, str]:
    refusal = refused(lambda: room.call("CreateAgent", as_, **fields))
    return refusal.code, refusal.reason


@pytest.mark.parametrize("workflow", ["wfl_", "wfl_00000000000000000000000000"])
def test_what_looks_like_a_workflows_id_makes_no_workflow(room: Room, workflow: str) -> None:
    refusal = _refusal(room, name="alfa", workflow=workflow)
    assert refusal == (Code.NOT_FOUND, "WORKFLOW_NOT_FOUND")
    assert not room.call("ListWorkflows").workflows


def test_the_operator_names_a_workflow(room: Room) -> None:
    refusal = refused(lambda: room.call("CreateAgent", name="alfa"))
    assert (refusal.code, refusal.violations[0].field) == (Code.INVALID_ARGUMENT, "workflow")


@pytest.mark.parametrize(
    "name",
    ["a", "7", "A.b_c-D", "x" * 64, "operator2", "agt", "mail-1", "msgs_1", "wfl", "Postroom-1"],
)
def test_a_good_name_is_kept_as_spelled(room: Room, name: str) -> None:
    assert room.agent(name).name == name


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "INVALID_FIELD"),
        ("x" * 65, "INVALID_FIELD"),
        (".a", "INVALID_FIELD"),
        ("_a", "INVALID_FIELD"),
        ("-a", "INVALID_FIELD"),
        ("a b", "INVALID_FIELD"),
        ("a\n", "INVALID_FIELD"),
        ("a@b", "INVALID_FIELD"),
        ("a/b", "INVALID_FIELD"),
        ("a\0", "INVALID_FIELD"),
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "INVALID_FIELD"),
        ("\N{ARABIC-INDIC DIGIT THREE}", "INVALID_FIELD"),
        ("\N{FULLWIDTH LATIN SMALL LETTER A}", "INVALID_FIELD"),
        ("operator", "NAME_RESERVED"),
        ("Operator", "NAME_RESERVED"),
        ("POSTROOM", "NAME_RESERVED"),
        ("system", "NAME_RESERVED"),
        ("agt_1", "NAME_RESERVED"),
        ("Mail_1", "NAME_RESERVED"),
        ("wfl_", "NAME_RESERVED"),
        ("MSG_x", "NAME_RESERVED"),
    ],
)
def test_a_bad_name_is_refused(room: Room, name: str, reason: str) -> None:
    refusal = refused(lambda: room.agent(name))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, reason)
    assert {violation.field for violation in refusal.violations} == {"name"}
    assert not room.call("ListWorkflows").workflows


def test_a_name_is_taken_in_one_workflow_whatever_its_case(room: Room, store: Store) -> None:
    room.agent("Alfa")
    before = contents(store)
    for name in ("Alfa", "alfa", "ALFA"):
        refusal = _refusal(room, name=name, workflow="main")
        assert refusal == (Code.ALREADY_EXISTS, "NAME_TAKEN")
    assert contents(store) == before
    assert room.agent("alfa", "other").name == "alfa"


def test_the_name_of_an_archived_agent_is_free_again(room: Room) -> None:
    old = room.agent("alfa")
    room.call("ArchiveAgent", id=old.id)
    new = room.agent("ALFA")
    assert new.id != old.id
    assert _refusal(room, name="alfa", workflow="main") == (Code.ALREADY_EXISTS, "NAME_TAKEN")


def test_a_dormant_agent_keeps_its_name(room: Room) -> None:
    room.agent("alfa", state=AGENT_STATE_DORMANT)
    assert _refusal(room, name="alfa", workflow="main") == (Code.ALREADY_EXISTS, "NAME_TAKEN")


def test_of_agents_made_at_the_same_time_one_gets_the_name_and_one_workflow_is_made(
    room: Room,
) -> None:
    names = ("alfa", "Alfa", "ALFA", "bravo")
    answers = together(
        room, (room.begin("CreateAgent", name=name, workflow="main") for name in names)
    )
    reasons = sorted(getattr(answer, "reason", "made") for answer in answers)
    assert reasons == ["NAME_TAKEN", "NAME_TAKEN", "made", "made"]
    assert len(room.call("ListWorkflows").workflows) == 1


def test_an_agent_makes_children_of_its_own_in_its_own_workflow(room: Room) -> None:
    alfa = room.agent("alfa")
    for number, fields in enumerate(
        (
            {},
            {"parent_id": alfa.id},
            {"workflow": "main"},
            {"workflow": alfa.workflow_id, "parent_id": alfa.id},
        )
    ):
        child = room.call("CreateAgent", alfa.id, name=f"kid-{number}", **fields).agent
        assert (child.parent_id, child.workflow_id) == (alfa.id, alfa.workflow_id)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"parent_id": "bravo"}, "NOT_YOUR_CHILD"),
        ({"parent_id": "operator"}, "NOT_YOUR_CHILD"),
        ({"parent_id": "agt_00000000000000000000000000"}, "NOT_YOUR_CHILD"),
        ({"workflow": "other"}, "NOT_YOUR_WORKFLOW"),
        ({"workflow": "new"}, "NOT_YOUR_WORKFLOW"),
        ({"workflow": "wfl_00000000000000000000000000"}, "NOT_YOUR_WORKFLOW"),
    ],
    ids=repr,
)
def test_an_agent_makes_nobody_elses_children_and_no_workflow(
    room: Room, store: Store, fields: dict[str, str], reason: str
) -> None:
    alfa, bravo = room.agent("alfa"), room.agent("bravo")
    room.agent("carol", "other")
    given = {key: bravo.id if value == "bravo" else value for key, value in fields.items()}
    before = contents(store)
    assert _refusal(room, alfa.id, name="kid", **given) == (Code.PERMISSION_DENIED, reason)
    assert contents(store) == before


def test_the_operator_gives_a_child_to_a_parent_in_the_parents_workflow(room: Room) -> None:
    boss = room.agent("boss")
    room.agent("carol", "other")
    child = room.call("CreateAgent", name="kid", parent_id=boss.id).agent
    assert (child.parent_id, child.workflow_id) == (boss.id, boss.workflow_id)
    for workflow in ("other", "new"):
        refusal = refused(partial(room.agent, "kid-2", workflow, parent_id=boss.id))
        assert (refusal.code, refusal.violations[0].field) == (Code.INVALID_ARGUMENT, "workflow")


@pytest.mark.parametrize(
    ("parent_id", "code", "reason"),
    [
        ("agt_00000000000000000000000000", Code.NOT_FOUND, "AGENT_NOT_FOUND"),
        ("boss", Code.NOT_FOUND, "AGENT_NOT_FOUND"),
        ("operator", Code.INVALID_ARGUMENT, "INVALID_FIELD"),
    ],
)
def test_a_parent_is_an_agent_named_by_its_id(
    room: Room, parent_id: str, code: Code, reason: str
) -> None:
    room.agent("boss")
    refusal = _refusal(room, name="kid", workflow="main", parent_id=parent_id)
    assert refusal == (code, reason)


def test_an_archived_agent_gets_no_more_children(room: Room) -> None:
    boss = room.agent("boss")
    room.call("ArchiveAgent", id=boss.id)
    refusal = _refusal(room, name="kid", workflow="main", parent_id=boss.id)
    assert refusal == (Code.FAILED_PRECONDITION, "PARENT_ARCHIVED")


@pytest.mark.parametrize("state", [3, 4, -1])
def test_an_agent_begins_running_or_dormant(room: Room, state: int) -> None:
    refusal = refused(lambda: room.agent("alfa", state=state))
    assert (refusal.code, refusal.violations[0].field) == (Code.INVALID_ARGUMENT, "state")


@pytest.mark.parametrize(
    ("field", "most"),
    [
        ("role", 64),
        ("workflow", 1024),
        ("program", 128),
        ("model", 128),
        ("task_description", 2000),
    ],
)
def test_each_text_has_a_bound(room: Room, field: str, most: int) -> None:
    fields: dict[str, str] = {"name": "alfa", "workflow": "main", field: "\N{SNOWMAN}" * most}
    room.call("CreateAgent", **fields)
    fields |= {"name": "bravo", field: "\N{SNOWMAN}" * (most + 1)}
    refusal = refused(lambda: room.call("CreateAgent", **fields))
    assert [violation.field for violation in refusal.violations] == [field]
