"""ArchiveAgent: an agent ends for good."""

from functools import partial

from agent.v1.agent_pb2 import AGENT_STATE_ARCHIVED, AGENT_STATE_RUNNING
from postroom.errors import Code
from postroom.storage.store import Store
from tests.operations.tables import contents
from tests.room import Room, refused


def test_its_parent_and_the_operator_archive_an_agent(room: Room) -> None:
    boss = room.agent("boss")
    for caller, name in ((boss.id, "one"), ("", "two")):
        kid = room.agent(name, parent_id=boss.id)
        agent = room.call("ArchiveAgent", caller, id=kid.id).agent
        assert (agent.id, agent.state) == (kid.id, AGENT_STATE_ARCHIVED)
        assert room.call("GetAgent", id=kid.id).agent.state == AGENT_STATE_ARCHIVED


def test_nobody_else_may_not_even_the_agent_itself(room: Room, store: Store) -> None:
    boss = room.agent("boss")
    kid, sibling = (room.agent(name, parent_id=boss.id) for name in ("kid", "sibling"))
    before = contents(store)
    for caller, agent in ((kid, kid.id), (sibling, kid.id), (kid, boss.id), (boss, "operator")):
        refusal = refused(partial(room.call, "ArchiveAgent", caller.id, id=agent))
        assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "NOT_YOUR_AGENT")
    assert contents(store) == before


def test_archiving_twice_changes_nothing_but_the_callers_activity(room: Room, store: Store) -> None:
    alfa = room.agent("alfa")
    first = room.call("ArchiveAgent", id=alfa.id)
    before = contents(store)
    assert room.call("ArchiveAgent", id=alfa.id) == first
    assert contents(store) == before


def test_it_keeps_its_history_and_its_children_stay(room: Room) -> None:
    boss, alfa = room.agent("boss"), room.agent("alfa")
    kid = room.agent("kid", parent_id=boss.id)
    mail = room.send(alfa.id, boss.id)
    answer = room.call("ArchiveAgent", id=boss.id).agent
    assert answer.waiting == 1
    assert list(room.call("ListMail", id=boss.id).mail) == [mail]
    assert room.received(alfa.id, direction="MAIL_DIRECTION_SENT") == [mail]
    child = room.call("GetAgent", id=kid.id).agent
    assert (child.parent_id, child.state) == (boss.id, AGENT_STATE_RUNNING)
    assert room.call("ArchiveAgent", id=kid.id).agent.state == AGENT_STATE_ARCHIVED


def test_an_archived_agent_may_call_nothing(room: Room) -> None:
    alfa = room.agent("alfa")
    room.call("ArchiveAgent", id=alfa.id)
    answering = [spec.name for spec in room.registry.specs if not spec.streams_responses]
    assert {"SendMail", "ListMail", "ArchiveAgent", "SendMessage"} <= set(answering)
    # Who calls is judged before what is asked, so empty requests will do.
    for method in answering:
        refusal = refused(partial(room.call, method, alfa.id))
        assert (refusal.code, refusal.reason) == (Code.UNAUTHENTICATED, "CALLER_ARCHIVED")


def test_the_operator_is_never_archived(room: Room) -> None:
    refusal = refused(lambda: room.call("ArchiveAgent", id="operator"))
    assert (refusal.code, refusal.violations[0].field) == (Code.INVALID_ARGUMENT, "id")


def test_an_unknown_id_is_not_found(room: Room) -> None:
    refusal = refused(lambda: room.call("ArchiveAgent", id="agt_none"))
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "AGENT_NOT_FOUND")
