"""The folder of a project's files, where it cannot be had."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from postroom.errors import Code
from tests.attaching.pictures import drawing, saved
from tests.operations.messages.illustrated import given, illustrated
from tests.operations.messages.world import Project
from tests.room import Room, refused

PICTURE = saved(drawing())


@pytest.fixture
def project(room: Room, tmp_path: Path) -> Iterator[Project]:
    """A project whose folder has gone, in a place where no other can be made."""
    archive = tmp_path / "archive"
    with illustrated(room, archive) as made:
        made.agents("alfa", "bravo")
        archive.rename(tmp_path / "elsewhere")
        archive.write_text("no folder")
        yield made


def test_images_that_come_as_bytes_need_no_folder(project: Project) -> None:
    (one,) = project.message("alfa", "bravo", attachments=[given(PICTURE)]).attachments
    again = project.message("alfa", "bravo", attachment_paths=[one.path])
    assert again.attachments[0].sha256 == one.sha256


def test_a_path_below_it_is_refused_like_any_that_cannot_be_read(project: Project) -> None:
    refusal = refused(lambda: project.send("alfa", "bravo", attachment_paths=["a.png"]))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "ATTACHMENT_PATH")
    (inside,) = project.message("alfa", "bravo", body_md="![a](a.png)").attachments
    assert inside.mode == "failed"


@pytest.mark.parametrize("key", ["/abs/path/backend", "/new"])
def test_a_project_whose_folder_cannot_be_made_is_refused_in_words(
    project: Project, key: str
) -> None:
    refusal = refused(lambda: project.room.call("EnsureProject", project_key=key))
    assert (refusal.code, refusal.reason) == (Code.UNAVAILABLE, "FILES_UNAVAILABLE")
    assert "archive" not in refusal.message
    listed = project.room.call("ListWorkflows").workflows
    assert [one.key for one in listed] == [project.key]


@pytest.mark.parametrize(
    ("number", "code", "reason"),
    [
        (errno.ENOSPC, Code.RESOURCE_EXHAUSTED, "STORAGE_FULL"),
        (errno.EDQUOT, Code.RESOURCE_EXHAUSTED, "STORAGE_FULL"),
        (errno.EROFS, Code.FAILED_PRECONDITION, "STORAGE_READ_ONLY"),
        (errno.EACCES, Code.FAILED_PRECONDITION, "STORAGE_READ_ONLY"),
        (errno.EIO, Code.UNAVAILABLE, "FILES_UNAVAILABLE"),
    ],
)
def test_what_is_wrong_with_the_disk_decides_the_code(
    project: Project, monkeypatch: pytest.MonkeyPatch, number: int, code: Code, reason: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, "secret", "/secret/path")

    monkeypatch.setattr(Path, "mkdir", fail)
    refusal = refused(lambda: project.room.call("EnsureProject", project_key="/new"))
    assert (refusal.code, refusal.reason) == (code, reason)
    assert "secret" not in refusal.message
