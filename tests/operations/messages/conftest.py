"""Fixtures of the message service's tests."""

import pytest

from tests.operations.messages.world import Project
from tests.room import Room


@pytest.fixture
def project(room: Room) -> Project:
    """A project with nobody in it."""
    return Project(room)
