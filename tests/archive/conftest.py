"""Fixtures: a project of the message service, and its archive."""

from pathlib import Path

import pytest

from tests.archive.kept import Archive
from tests.operations.messages.world import Project
from tests.room import Room


@pytest.fixture
def project(room: Room) -> Project:
    """A project with nobody in it."""
    return Project(room)


@pytest.fixture
def archive(room: Room, tmp_path: Path) -> Archive:
    """The archive of the post room."""
    return Archive(room.office.store, tmp_path / "archive")
