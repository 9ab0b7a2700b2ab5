"""ListProjectAgents: who can be written to."""

from tests.operations.messages.world import Project
from tests.room import Room, refused


def test_the_live_agents_of_a_project_are_listed_with_what_a_writer_needs(
    project: Project, room: Room
) -> None:
    Project(room, "/other").register("outsider")
    project.register("alfa", program="p", model="m", task_description="t")
    gone, shy = project.register("gone"), project.register("shy", "contacts_only")
    project.archive(gone)
    room.call("SetAgentState", id=shy.id, state="AGENT_STATE_DORMANT")
    agents = project.call("ListProjectAgents", shy.id).agents
    assert [(a.name, a.contact_policy) for a in agents] == [
        ("alfa", "open"),
        ("shy", "contacts_only"),
    ]
    assert (agents[0].program, agents[0].model, agents[0].task_description) == ("p", "m", "t")
    assert agents[1] == room.call("GetAgent", id=shy.id).agent


def test_an_unknown_project_is_not_found(room: Room) -> None:
    refusal = refused(lambda: room.call("ListProjectAgents", project_key="/unseen"))
    assert refusal.reason == "PROJECT_NOT_FOUND"
