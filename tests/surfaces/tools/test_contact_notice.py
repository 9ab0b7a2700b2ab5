"""A model that is asked for contact can do what the notice tells it to."""

import asyncio
import json
import re
from typing import Any

import pytest

from tests.room import Room

from .clients import ERAS, in_memory

KEY = '/srv/"odd" key, to_agent x'
_TOLD = re.compile(r"respond_contact, project_key (\".*\"), to_agent (\S+), from_agent (\S+), and")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("role", ["implementer", "reviewer", "orchestrator", "", "cook"])
def test_the_notice_names_a_tool_that_every_agent_has_and_all_that_it_takes(
    room: Room, era: str, role: str
) -> None:
    room.call("EnsureProject", project_key=KEY)
    ids = {
        name: room.call("RegisterAgent", project_key=KEY, name=name, role=role).agent.id
        for name in ("alfa", "bravo")
    }
    room.call("RequestContact", project_key=KEY, from_agent="alfa", to_agent="bravo")
    (notice,) = room.received(ids["bravo"])
    told = _TOLD.search(notice.body)
    assert told is not None, notice.body
    answer = {
        "project_key": json.loads(told[1]),
        "to_agent": told[2],
        "from_agent": told[3],
        "accept": True,
    }

    async def respond() -> Any:
        async with in_memory(room.registry, ids["bravo"], era) as client:
            return await client.call_tool("respond_contact", answer)

    result = asyncio.run(respond())
    assert not result.is_error
    assert result.structured_content["contact"]["status"] == "approved"
