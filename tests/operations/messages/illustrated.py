"""A project whose messages may have images: with real workers and real folders."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from postroom.attaching.collect import Attacher
from postroom.office import Messaging
from postroom.project_files import ProjectFiles
from postroom.rpc.methods import Registry
from tests.operations.messages.world import Project
from tests.room import CONTRACT, Room


@contextmanager
def illustrated(room: Room, archive: Path, **messaging: Any) -> Iterator[Project]:
    """A project whose files are below a folder; settings of messages may be given."""
    attacher = Attacher()
    room.office = replace(
        room.office,
        attaching=attacher,
        files=ProjectFiles(archive),
        messaging=Messaging(**messaging),
    )
    room.registry = Registry(room.office, CONTRACT)
    try:
        yield Project(room)
    finally:
        asyncio.run(attacher.close())


def given(data: bytes, name: str = "a.png") -> dict[str, Any]:
    """An attachment that comes as bytes."""
    return {"filename": name, "data": data}
