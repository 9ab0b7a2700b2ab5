"""GetAttachment: the bytes of an image, in ranges, for whoever sent or got it."""

import hashlib
from functools import partial
from typing import Any

import pytest

from agent.v1.agent_pb2 import Agent
from postroom.attachment import MEDIA_TYPE, Attachment, Mode, StoredFile, path_of
from postroom.enclosure import Enclosed
from postroom.errors import Code
from postroom.messaging import enclosing
from postroom.storage.store import Store
from tests.operations.messages.world import Project
from tests.room import Room

DATA = bytes(range(256)) * 12_000
SHA = hashlib.sha256(DATA).hexdigest()
STEP = 2 * 1024 * 1024


@pytest.fixture
def agents(project: Project, monkeypatch: pytest.MonkeyPatch) -> dict[str, Agent]:
    """Alfa has sent an image to bravo and, hidden, to carol; not to delta."""
    shown = Attachment(
        name="a.png",
        mode=Mode.FILE,
        media_type=MEDIA_TYPE,
        path=path_of(SHA),
        sha256=SHA,
        bytes=len(DATA),
        width=3,
        height=4,
    )
    file = StoredFile(sha256=SHA, media_type=MEDIA_TYPE, width=3, height=4, data=DATA)

    async def enclosed(*_: object) -> Enclosed:
        return Enclosed(body_md="b", attachments=(shown,), files=(file,))

    found = {a.name: a for a in project.agents("alfa", "bravo", "carol", "delta")}
    with monkeypatch.context() as patched:
        patched.setattr(enclosing, "enclose", enclosed)
        project.send("alfa", "bravo", bcc=["carol"])
        project.send("alfa", "bravo")
    return found


def get(project: Project, as_: str, **fields: Any) -> Any:
    """A range of the image."""
    return project.call("GetAttachment", as_, **{"sha256": SHA} | fields)


@pytest.mark.parametrize("name", ["alfa", "bravo", "carol"])
def test_each_party_gets_the_image_in_ranges(
    project: Project, agents: dict[str, Agent], name: str
) -> None:
    got = get(project, agents[name].id)
    assert (len(got.data), got.media_type, got.bytes) == (STEP, "image/webp", len(DATA))
    rest = get(project, agents[name].id, offset=STEP, limit=STEP * 9)
    assert got.data + rest.data == DATA
    assert get(project, agents[name].id, offset=5, limit=7).data == DATA[5:12]
    assert get(project, agents[name].id, offset=len(DATA)).data == b""
    assert get(project, agents[name].id, sha256=SHA.upper(), limit=1).data == DATA[:1]


def test_an_image_that_is_sent_twice_is_stored_once_and_shown_by_both(
    project: Project, agents: dict[str, Agent], store: Store
) -> None:
    assert agents
    assert store.connection.one("SELECT COUNT(*) FROM file") == (1,)
    for one in project.inbox("bravo"):
        (shown,) = one.attachments
        assert (shown.sha256, shown.mode, shown.path) == (SHA, "file", f"attachments/{SHA}.webp")
        assert (shown.bytes, shown.width, shown.height) == (len(DATA), 3, 4)


def test_for_anybody_else_it_is_not_there(
    project: Project, agents: dict[str, Agent], room: Room
) -> None:
    other = Project(room, "/other")
    outsider = other.register("outsider")
    for caller, within, sha in (
        (agents["delta"], project, SHA),
        (outsider, project, SHA),
        (outsider, other, SHA),
        (agents["bravo"], other, SHA),
        (agents["bravo"], project, "0" * 64),
        (agents["bravo"], project, "x"),
    ):
        refusal = within.refusal(partial(get, within, caller.id, sha256=sha))
        assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "ATTACHMENT_NOT_FOUND")


@pytest.mark.parametrize(
    "fields", [{"offset": -1}, {"limit": -1}, {"sha256": ""}, {"sha256": "0" * 65}], ids=repr
)
def test_what_cannot_be_is_refused(
    project: Project, agents: dict[str, Agent], fields: dict[str, Any]
) -> None:
    refusal = project.refusal(partial(get, project, agents["bravo"].id, **fields))
    assert [violation.field for violation in refusal.violations] == list(fields)


def test_an_offset_behind_the_end_is_refused(project: Project, agents: dict[str, Agent]) -> None:
    refusal = project.refusal(partial(get, project, agents["bravo"].id, offset=len(DATA) + 1))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "OUT_OF_RANGE")


def test_the_operators_look_is_written_down(project: Project, agents: dict[str, Agent]) -> None:
    assert get(project, "operator", limit=1).data == DATA[:1]
    (read,) = project.room.call("ListMailboxReads", id=agents["alfa"].id).reads
    assert read.method == "agent.v1.MessageService/GetAttachment"
    refusal = project.refusal(partial(get, project, "operator", sha256="0" * 64))
    assert refusal.reason == "ATTACHMENT_NOT_FOUND"


def test_a_refused_message_leaves_no_image(
    project: Project, agents: dict[str, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = StoredFile(sha256="1" * 64, media_type=MEDIA_TYPE, width=1, height=1, data=b"x")
    shown = Attachment(name="b.png", mode=Mode.FILE, sha256="1" * 64, bytes=1)

    async def enclosed(*_: object) -> Enclosed:
        return Enclosed(body_md="b", attachments=(shown,), files=(other,))

    monkeypatch.setattr(enclosing, "enclose", enclosed)
    project.call("SetContactPolicy", agent_name="bravo", policy="block_all")
    assert project.unsent("alfa", "bravo").reason == "POLICY_FORBIDS"
    assert agents
