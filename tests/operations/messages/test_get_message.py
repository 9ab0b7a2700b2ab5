"""GetMessage: for whoever sent or got it; for anybody else it is not there."""

from functools import partial

from postroom.errors import Code
from tests.operations.messages.world import Project
from tests.room import Room


def test_each_party_sees_the_message_with_its_own_part(project: Project, room: Room) -> None:
    agents = project.agents("alfa", "bravo", "carol", "delta")
    sent = project.message("alfa", "bravo", cc=["carol"], bcc=["delta"], body_md="*x*")
    alfa, *others = agents
    assert room.call("GetMessage", alfa.id, message_id=sent.id).message == sent
    for agent, kind in zip(others, ("to", "cc", "bcc"), strict=True):
        shown = room.call("GetMessage", agent.id, message_id=sent.id).message
        (listed,) = project.inbox(agent.name)
        assert shown == listed
        assert shown.kind == kind
        assert list(shown.bcc) == (["delta"] if kind == "bcc" else [])


def test_for_anybody_else_it_is_not_there(project: Project, room: Room) -> None:
    *_, carol = project.agents("alfa", "bravo", "carol")
    outsider = Project(room, "/other").register("outsider")
    sent = project.message("alfa", "bravo")
    told = set()
    for caller, id in ((carol, sent.id), (outsider, sent.id), (carol, "msg_unseen")):
        refusal = project.refusal(partial(room.call, "GetMessage", caller.id, message_id=id))
        assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "MESSAGE_NOT_FOUND")
        told.add(refusal.message.replace(id, ""))
    assert len(told) == 1


def test_a_project_that_is_named_must_be_the_messages(project: Project, room: Room) -> None:
    alfa, _ = project.agents("alfa", "bravo")
    Project(room, "/other")
    sent = project.message("alfa", "bravo")
    for key, reason in (("/other", "MESSAGE_NOT_FOUND"), ("/unseen", "PROJECT_NOT_FOUND")):
        fields = {"message_id": sent.id, "project_key": key}
        refusal = project.refusal(partial(room.call, "GetMessage", alfa.id, **fields))
        assert refusal.reason == reason


def test_the_id_of_a_copy_or_an_empty_one_is_no_message(project: Project, room: Room) -> None:
    _, bravo = project.agents("alfa", "bravo")
    project.message("alfa", "bravo")
    (listed,) = project.inbox("bravo")
    get = partial(room.call, "GetMessage", bravo.id)
    assert project.refusal(partial(get, message_id=listed.mail_id)).reason == "MESSAGE_NOT_FOUND"
    assert project.refusal(partial(get, message_id="")).reason == "INVALID_FIELD"
