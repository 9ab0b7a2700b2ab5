"""What a send costs does not grow with what was sent and archived before."""

from collections import Counter

import pytest

from postroom.storage.database import Connection
from tests.archive.kept import Archive
from tests.operations.messages.world import Project


def test_m31_a_send_asks_the_database_the_same_after_hundreds_of_messages(
    project: Project, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.agents("Alfa", "Bravo")
    asked: list[str] = []
    run = Connection.run

    def noted(connection: Connection, text: str, *more: object) -> object:
        asked.append(text)
        return run(connection, text, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(Connection, "run", noted)

    def statements() -> Counter[str]:
        asked.clear()
        project.message("Alfa", "Bravo")
        return Counter(asked)

    project.message("Alfa", "Bravo")
    archive.take()
    few = statements()
    for _ in range(90):
        project.message("Alfa", "Bravo")
    archive.take()
    assert statements() == few
    assert few
