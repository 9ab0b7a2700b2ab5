"""A lost database comes back from its archive: the same ids, names, threads and texts."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from postroom.archive.commit import Note
from postroom.archive.reading import reading
from postroom.archive.rebuilding import Tally, Tools
from postroom.archive.recovered import Archived
from postroom.archive.recovering import Rebuilding
from postroom.archive.repository import Repository
from postroom.archive.shelf import projects
from postroom.archive.verifying import Needs, verify
from postroom.errors import Refusal
from postroom.instant import DAY, SECOND
from postroom.mail import Mail
from postroom.ports import Session
from postroom.rpc.messages import mail_message, mail_of
from postroom.storage import open_store
from postroom.storage.store import Store
from tests.archive.kept import AUTHOR, Archive
from tests.archive.pictures import enclose, shows, webp
from tests.doubles import START, CountingIds, ManualClock
from tests.operations.messages.world import KEY, Project
from tests.room import Room, refused

TTL = 7 * DAY // SECOND


def wire(mail: Mail) -> bytes:
    return mail_message(mail).SerializeToString()


def rebuild(root: Path, store: Store, ids: CountingIds) -> Tally:
    """Store all archives below a folder in an empty database."""
    tools = Tools(
        store=store,
        ids=ids,
        random_bytes=secrets.token_bytes,
        wire=wire,
        now=START,
        mail_ttl=TTL,
    )
    with ExitStack() as stack:
        found = [Archived(id, stack.enter_context(reading(root / id))) for id in projects(root)]
        return Rebuilding(tools).rebuild(found)


Rebuilt = Callable[[], tuple[Room, Tally]]


@pytest.fixture
def second_url(store_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The URL of another empty database of the same kind."""
    if store_kind == "sqlite":
        return f"sqlite:///{tmp_path / 'again.db'}"
    url: str = request.getfixturevalue("postgres_server").new_database(f"again{tmp_path.name}")
    return url


@pytest.fixture
def rebuilt(
    archive: Archive, second_url: str, clock: ManualClock, ids: CountingIds
) -> Iterator[Rebuilt]:
    """Rebuilds the archive in a second database of the same kind."""
    rooms: list[Room] = []

    def run() -> tuple[Room, Tally]:
        archive.take()
        store = open_store(second_url, clock)
        tally = rebuild(archive.root, store, ids)
        rooms.append(Room(store, clock, ids))
        return rooms[-1], tally

    yield run
    for room in rooms:
        room.close()
        room.office.store.close()


def inboxes(room: Room, *names: str) -> Any:
    """Everything that agents see of their messages."""

    def seen(name: str) -> list[Any]:
        calls = [
            room.call("FetchInbox", project_key=KEY, agent_name=name, include_bodies=True),
            room.call("ListThreads", project_key=KEY, agent_name=name),
            room.call("SearchMessages", project_key=KEY, agent_name=name, query="see"),
        ]
        return [str(answer) for answer in calls]

    return {name: seen(name) for name in names}


def test_p14_m22_everything_of_messages_comes_back_under_the_same_ids(
    project: Project, archive: Archive, clock: ManualClock, rebuilt: Rebuilt
) -> None:
    names = ("Alfa", "Bravo", "Carol", "Hidden")
    agents = project.agents(*names)
    sent = project.message("Alfa", "Bravo", cc=["Carol"], bcc=["Hidden"], topic="t", subject="s")
    clock.advance(seconds=1)
    project.reply("Bravo", sent.id, body="see\r\nabove")
    clock.advance(seconds=1)
    project.reply("Hidden", sent.id, body="see too")
    before = inboxes(project.room, *names)
    pieces = {agent.id: project.room.received(agent.id) for agent in agents}
    room, tally = rebuilt()
    assert inboxes(room, *names) == before
    assert {agent.id: room.received(agent.id) for agent in agents} == pieces
    assert (tally.projects, tally.agents, tally.messages) == (1, 4, 3)
    workflow = room.office.store.read(lambda session: session.workflow(KEY))
    assert workflow is not None
    needs = Needs(unwire=mail_of, is_image=shows, now=START)
    found = verify(room.office.store, archive.folder, workflow, needs)
    assert (found.findings, found.messages) == ([], 3)
    again = room.call("ListAgents").agents
    kept = ("id", "name", "program", "model", "contact_policy", "created_at")
    for one, other in zip(agents, sorted(again, key=lambda a: a.id), strict=True):
        assert [getattr(one, name) for name in kept] == [getattr(other, name) for name in kept]


def test_life_goes_on_in_a_database_that_was_rebuilt(
    project: Project, archive: Archive, rebuilt: Rebuilt
) -> None:
    project.agents("Alfa", "Bravo")
    sent = project.message("Alfa", "Bravo")
    room, _ = rebuilt()
    goes_on = Project(room)
    goes_on.reply("Bravo", sent.id)
    assert len(goes_on.inbox("Alfa")) == 1
    later = Archive(room.office.store, archive.root)
    assert later.take().taken == 1
    assert later.commits() == 2
    later.must_be_sound()


def test_an_unknown_agent_is_still_an_error(project: Project, rebuilt: Rebuilt) -> None:
    project.agents("Alfa", "Bravo")
    project.message("Alfa", "Bravo")
    room, _ = rebuilt()
    refusal = refused(lambda: Project(room).inbox("Nobody"))
    assert refusal.reason == "AGENT_NOT_FOUND"


def test_who_had_a_token_is_not_believed_without_one(project: Project, rebuilt: Rebuilt) -> None:
    alfa, _ = project.agents("Alfa", "Bravo")
    token = project.room.call("CreateToken", agent_id=alfa.id).token
    project.send("Alfa", "Bravo", as_=token)
    room, _ = rebuilt()
    for as_ in (alfa.id, token):
        with pytest.raises(Refusal):
            Project(room).send("Alfa", "Bravo", as_=as_)
    made = room.call("CreateToken", agent_id=alfa.id).token
    Project(room).send("Alfa", "Bravo", as_=made)


def test_families_states_and_names_come_back(project: Project, rebuilt: Rebuilt) -> None:
    (parent,) = project.agents("Parent")
    child = project.room.call(
        "CreateAgent", parent.id, name="Child", workflow=KEY, parent_id=parent.id
    ).agent
    (old,) = project.agents("Twin")
    project.message("Parent", "Twin")
    project.message("Child", "Parent")
    project.room.call("ArchiveAgent", id=old.id)
    (new,) = project.agents("twin")
    project.message("Parent", "twin")
    room, tally = rebuilt()
    told = {agent.id: agent for agent in room.call("ListAgents").agents}
    assert told[child.id].parent_id == parent.id
    # The archive saw the first alive; two live agents of one name cannot be.
    assert told[old.id].state != told[new.id].state
    assert [line for line in tally.lost if "parent" in line] == []


def test_attachments_come_back(project: Project, archive: Archive, rebuilt: Rebuilt) -> None:
    project.agents("Alfa", "Bravo")
    sent = project.message("Alfa", "Bravo")
    path = enclose(archive.store, sent.id, "msg_9", webp())
    room, tally = rebuilt()
    assert tally.attachments == 1
    sha256 = path.removeprefix("attachments/").removesuffix(".webp")
    file = room.office.store.read(lambda session: session.file(1, sha256))
    assert file is not None
    assert (file.data, file.width, file.height) == (webp(), 4, 3)


def test_plain_mail_comes_back_where_all_was_archived(
    project: Project, archive: Archive, rebuilt: Rebuilt
) -> None:
    alfa, bravo = project.agents("Alfa", "Bravo")
    project.message("Alfa", "Bravo")
    mail = project.room.send(alfa.id, bravo.id, "hello")
    answer = project.room.send(bravo.id, alfa.id, "yes", reply_to=mail.id)
    workflow = archive.store.read(lambda session: session.workflow(KEY))
    assert workflow is not None
    for one in (mail, answer):
        archive.store.write(partial(_leave, workflow.id, one.id))
    room, tally = rebuilt()
    assert tally.mails == 2
    assert room.received(alfa.id) == project.room.received(alfa.id)
    assert room.received(bravo.id) == project.room.received(bravo.id)


def _leave(project_id: str, id: str, session: Session) -> None:
    session.put_out(project_id, id, START)


def test_what_cannot_be_read_is_told_and_the_rest_comes_back(
    project: Project, archive: Archive, rebuilt: Rebuilt
) -> None:
    project.agents("Alfa", "Bravo")
    lost, halved, kept = (project.message("Alfa", "Bravo").id for _ in range(3))
    archive.take()
    with Repository(archive.folder, AUTHOR).writing() as writing:
        for path in archive.paths():
            if lost in path or (halved in path and "inbox" in path):
                writing.add(path, b"nothing")
        writing.add("stray", b"nothing")
        writing.commit(Note(messages=0, last=1, newest=START))
    room, tally = rebuilt()
    ids = Project(room).ids("Bravo")
    assert sorted(ids) == sorted([halved, kept])
    told = "\n".join(tally.lost)
    assert f"the message {lost}" in told
    assert f"the copy of {halved} for Bravo: it has a new mail id" in told
    assert "stray" in told
