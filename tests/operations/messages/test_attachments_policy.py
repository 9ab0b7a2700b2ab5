"""Whether images are converted: the call says, else the server, and a sender's policy always."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.attaching.pictures import noise, saved
from tests.operations.messages.illustrated import given, illustrated
from tests.operations.messages.world import Project
from tests.room import Room

PICTURE = saved(noise(20, 30))
SHOWN = f"![it](data:image/png;base64,{base64.b64encode(PICTURE).decode()})"


@pytest.fixture(params=[True, False], ids=["converting server", "keeping server"])
def server(request: pytest.FixtureRequest, room: Room, tmp_path: Path) -> Iterator[Any]:
    """A project, and whether its server converts where nobody says."""
    with illustrated(room, tmp_path, converts_images=request.param) as project:
        project.register("bravo")
        yield project, request.param


def modes(project: Project, policy: str, convert: bool | None) -> tuple[list[str], list[str]]:
    """How an image beside the body and one in it are carried, and their types."""
    project.register("alfa", attachments_policy=policy)
    fields = {} if convert is None else {"convert_images": convert}
    sent = project.message("alfa", "bravo", body_md=SHOWN, attachments=[given(PICTURE)], **fields)
    return [one.mode for one in sent.attachments], [one.media_type for one in sent.attachments]


@pytest.mark.parametrize("convert", [True, False, None])
def test_without_a_policy_the_call_decides_or_else_the_server(
    server: tuple[Project, bool], convert: bool | None
) -> None:
    project, by_itself = server
    expected = ["file", "inline"], ["image/webp"] * 2
    if not (by_itself if convert is None else convert):
        expected = ["kept", "kept"], ["image/png"] * 2
    assert modes(project, "auto", convert) == expected


@pytest.mark.parametrize("convert", [True, False, None])
@pytest.mark.parametrize("policy", ["inline", "file"])
def test_a_policy_of_the_sender_always_converts(
    server: tuple[Project, bool], policy: str, convert: bool | None
) -> None:
    project, _ = server
    assert modes(project, policy, convert) == (["file", policy], ["image/webp"] * 2)
