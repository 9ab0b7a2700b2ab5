"""A refusal tells an agent, which may have no tool that lists projects, the key of its own."""

from functools import partial

import pytest

from postroom.errors import Code
from tests.operations.messages.world import KEY, Project
from tests.room import Room


def test_a_project_that_is_not_there_is_refused_with_the_callers_own(project: Project) -> None:
    alfa = project.register("alfa")
    project.register("bravo")
    call = partial(project.send, "alfa", "bravo", as_=alfa.id, project_key="backend")
    refusal = project.refusal(call)
    assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "PROJECT_NOT_FOUND")
    assert f'"{KEY}"' in refusal.message
    unnamed = project.refusal(partial(project.send, "alfa", "bravo", project_key="backend"))
    assert KEY not in unnamed.message


def test_a_project_of_others_is_refused_with_the_callers_own(project: Project, room: Room) -> None:
    alfa = project.register("alfa")
    other = Project(room, "/other")
    other.register("alfa")
    other.register("bravo")
    refusal = project.refusal(partial(other.send, "alfa", "bravo", as_=alfa.id))
    assert refusal.reason == "IDENTITY_MISMATCH"
    assert f'"{KEY}"' in refusal.message


@pytest.mark.parametrize("letter", ["x", "\N{GRINNING FACE}"])
def test_a_very_long_key_leaves_the_refusal_room(room: Room, letter: str) -> None:
    project = Project(room, letter * 1024)
    alfa = project.register("alfa")
    refusal = project.refusal(partial(project.inbox, "alfa", as_=alfa.id, project_key="/unseen"))
    assert letter * 100 in refusal.message
    assert len(refusal.message.encode()) < 800


def test_a_notice_of_a_request_gives_a_long_key_whole(room: Room) -> None:
    project = Project(room, "/home/somebody/" + "deep/" * 60)
    project.register("alfa")
    bravo = project.register("bravo", "contacts_only")
    project.ask("alfa", "bravo")
    (notice,) = project.requests(bravo)
    assert f'"{project.key}"' in notice.body
