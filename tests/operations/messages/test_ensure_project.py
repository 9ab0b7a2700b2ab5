"""EnsureProject: keys are compared whole, in one form of each spelling."""

from functools import partial
from pathlib import Path

import pytest

from postroom.errors import Code
from postroom.storage.store import Store
from tests.operations.messages.world import KEY, Project
from tests.operations.tables import contents
from tests.room import Room


def ensure(room: Room, key: str, as_: str = "") -> str:
    """The id of the project with a key."""
    answer = room.call("EnsureProject", as_, project_key=key)
    assert answer.project.key
    return str(answer.project.id)


def test_a_project_is_made_once_and_is_a_workflow(room: Room, store: Store) -> None:
    made = room.call("EnsureProject", project_key=KEY).project
    before = contents(store)
    assert room.call("EnsureProject", project_key=KEY).project == made
    assert contents(store) == before
    assert (made.key, made.created_at) == (KEY, "2026-12-01T09:30:00.000000Z")
    assert list(room.call("ListWorkflows").workflows) == [made]


@pytest.mark.parametrize(
    "keys",
    [
        ["/a/pm", "/b/pm", "/c/pm"],
        ["/srv/app-one", "/srv/app_one", "/srv/app/one"],
        ["/srv/app", "/SRV/app", "/srv/app/", " /srv/app", "app"],
        ["ﬁle", "file", "FILE"],
        ["\N{LATIN SMALL LETTER E WITH ACUTE}", "e"],
    ],
    ids=repr,
)
def test_m16_different_keys_are_different_projects(room: Room, keys: list[str]) -> None:
    ids = [ensure(room, key) for key in keys]
    assert len(set(ids)) == len(keys)
    assert [ensure(room, key) for key in keys] == ids
    for number, key in enumerate(keys):
        Project(room, key).register(f"agent-{number}")
    for number, key in enumerate(keys):
        agents = room.call("ListProjectAgents", project_key=key).agents
        assert [agent.name for agent in agents] == [f"agent-{number}"]


def test_m17_a_symlink_is_another_key_since_keys_are_opaque(room: Room, tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    assert ensure(room, str(real)) != ensure(room, str(link))


def test_one_spelling_has_one_form(room: Room) -> None:
    composed, decomposed = (
        "caf\N{LATIN SMALL LETTER E WITH ACUTE}",
        "cafe\N{COMBINING ACUTE ACCENT}",
    )
    assert ensure(room, decomposed) == ensure(room, composed)
    assert room.call("EnsureProject", project_key=decomposed).project.key == composed
    Project(room, decomposed).register("alfa")
    assert Project(room, composed).inbox("alfa") == []
    room.agent("bravo", decomposed)
    assert Project(room, composed).inbox("bravo") == []


def test_a_workflow_that_create_agent_made_is_a_project_too(room: Room) -> None:
    decomposed = "cafe\N{COMBINING ACUTE ACCENT}"
    room.agent("alfa", decomposed)
    project = Project(room, decomposed)
    assert project.inbox("alfa") == []
    assert len(room.call("ListWorkflows").workflows) == 1


def test_m36_an_alias_by_suffix_is_not_found(room: Room) -> None:
    Project(room, "/a/app")
    project = Project(room, "/b/app")
    for alias in ("app", "/app", "b/app", "/B/app"):
        refusal = project.refusal(partial(project.call, "ListProjectAgents", project_key=alias))
        assert (refusal.code, refusal.reason) == (Code.NOT_FOUND, "PROJECT_NOT_FOUND")
        assert "ensure_project" in refusal.message


def test_a_key_is_never_taken_for_an_id(room: Room, project: Project) -> None:
    id = ensure(room, KEY)
    refusal = project.refusal(partial(ensure, room, id))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "INVALID_FIELD")
    for method in ("ListProjectAgents", "RegisterAgent"):
        fields = {"name": "alfa"} if method == "RegisterAgent" else {}
        call = partial(room.call, method, project_key=id, **fields)
        assert project.refusal(call).reason == "PROJECT_NOT_FOUND"


def test_an_agent_may_name_a_project_and_make_none(room: Room, project: Project) -> None:
    alfa = project.register("alfa")
    assert ensure(room, KEY, alfa.id) == ensure(room, KEY)
    refusal = project.refusal(partial(ensure, room, "/new", alfa.id))
    assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "OPERATOR_ONLY")


@pytest.mark.parametrize("key", ["", "x" * 1025, "a\0b"], ids=["empty", "long", "nul"])
def test_a_key_has_1_to_1024_characters(project: Project, key: str) -> None:
    refusal = project.refusal(partial(ensure, project.room, key))
    assert refusal.code is Code.INVALID_ARGUMENT
    assert [violation.field for violation in refusal.violations] == ["project_key"]


@pytest.mark.parametrize("first", [0x4E00, 0x20000], ids=["3 bytes each", "4 bytes each"])
def test_a_key_of_any_1024_characters_is_stored_and_found(room: Room, first: int) -> None:
    # Different characters, so that no database can squeeze them into its index.
    key = "".join(chr(first + number * 7 % 9_973) for number in range(1024))
    assert ensure(room, key) == ensure(room, key) != ensure(room, f"{key[:-1]}!")
