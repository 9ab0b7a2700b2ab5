"""Images that were sent before: named again, they cost the sender nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.v1.message_pb2 import Attachment
from postroom.storage.store import Store
from postroom.sweeping import sweep_all
from tests.attaching.pictures import noise, saved
from tests.doubles import ManualClock
from tests.operations.messages.illustrated import given, illustrated
from tests.operations.messages.world import Project
from tests.room import Room, refused

PICTURE, OTHER = saved(noise(60, 40)), saved(noise(40, 60))


@pytest.fixture
def project(room: Room, tmp_path: Path) -> Iterator[Project]:
    """A project in which one agent may send one picture a day, and a little more."""
    with illustrated(room, tmp_path, daily_attachments=3_000) as made:
        made.agents("alfa", "bravo")
        yield made


def _sent(project: Project) -> Attachment:
    one: Attachment
    (one,) = project.message("alfa", "bravo", attachments=[given(PICTURE)]).attachments
    assert 1_500 < one.bytes < 3_000, "the quota is for one of them"
    return one


def test_an_image_named_again_costs_nothing(project: Project) -> None:
    one = _sent(project)
    for _ in range(3):
        beside = project.message("alfa", "bravo", attachment_paths=[one.path])
        inside = project.message("alfa", "bravo", body_md=f"![again]({one.path})")
        assert beside.attachments[0].sha256 == inside.attachments[0].sha256 == one.sha256


def test_a_recipient_may_pass_it_on_for_nothing(project: Project) -> None:
    one = _sent(project)
    project.send("bravo", "alfa", attachment_paths=[one.path])
    project.send("bravo", "alfa", attachments=[given(OTHER)])


def test_a_new_image_is_counted_and_refused_once_the_day_is_spent(project: Project) -> None:
    _sent(project)
    refusal = refused(lambda: project.send("alfa", "bravo", attachments=[given(OTHER)]))
    assert refusal.reason == "ATTACHMENT_QUOTA"
    assert "attachments/<sha256>.webp" in refusal.message


def test_what_was_sent_is_counted_for_a_day_and_then_forgotten(
    project: Project, clock: ManualClock
) -> None:
    _sent(project)
    store = project.room.office.store
    assert isinstance(store, Store)
    clock.advance(hours=23)
    sweep_all(project.room.office)
    assert (
        refused(lambda: project.send("alfa", "bravo", attachments=[given(OTHER)])).reason
        == "ATTACHMENT_QUOTA"
    )
    clock.advance(hours=1)
    project.send("alfa", "bravo", attachments=[given(OTHER)])
    clock.advance(days=1)
    assert store.connection.one("SELECT COUNT(*) FROM upload") == (2,)
    clock.advance(seconds=1)
    sweep_all(project.room.office)
    assert store.connection.one("SELECT COUNT(*) FROM upload") == (0,)


def test_one_image_twice_in_a_message_counts_once(project: Project) -> None:
    twice = [given(PICTURE), given(PICTURE, "b.png")]
    assert len(project.message("alfa", "bravo", attachments=twice).attachments) == len(twice)


def test_a_range_that_begins_behind_the_end_names_the_field(project: Project) -> None:
    one = _sent(project)
    fields = {"sha256": one.sha256, "offset": one.bytes + 1}
    refusal = refused(lambda: project.call("GetAttachment", **fields))
    assert refusal.reason == "OUT_OF_RANGE"
    assert refusal.violations[0].field == "offset"
