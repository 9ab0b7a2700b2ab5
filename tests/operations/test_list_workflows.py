"""ListWorkflows: pages of all workflows."""

from agent.v1.agent_pb2 import Workflow
from postroom.errors import Code
from tests.operations.tables import together
from tests.room import Room, refused


def test_there_is_no_workflow_before_the_first_agent(room: Room) -> None:
    page = room.call("ListWorkflows")
    assert (list(page.workflows), page.next_page_token) == ([], "")


def test_every_caller_sees_every_workflow_oldest_first(room: Room) -> None:
    alfa, bravo = room.agent("alfa", "zulu"), room.agent("bravo", "beta")
    room.agent("carol", "zulu")
    created_at = "2026-12-01T09:30:00.000000Z"
    for caller in ("", alfa.id, bravo.id):
        assert list(room.call("ListWorkflows", caller).workflows) == [
            Workflow(id=alfa.workflow_id, key="zulu", created_at=created_at),
            Workflow(id=bravo.workflow_id, key="beta", created_at=created_at),
        ]


def test_a_workflow_stays_when_its_agents_are_archived(room: Room) -> None:
    alfa = room.agent("alfa")
    room.call("ArchiveAgent", id=alfa.id)
    assert room.agent("bravo").workflow_id == alfa.workflow_id


def test_workflows_come_in_pages(room: Room) -> None:
    keys = [f"key-{number}" for number in range(51)]
    together(room, (room.begin("CreateAgent", name="alfa", workflow=key) for key in keys))
    first = room.call("ListWorkflows")
    assert [workflow.key for workflow in first.workflows] == keys[:50]
    rest = room.call("ListWorkflows", pagination={"cursor": first.next_page_token})
    assert [workflow.key for workflow in rest.workflows] == keys[50:]
    assert rest.next_page_token == ""
    refusal = refused(lambda: room.call("ListWorkflows", pagination={"limit": -1}))
    assert refusal.code is Code.INVALID_ARGUMENT
