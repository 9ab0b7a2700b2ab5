"""Addresses against a model that looks at every agent."""

import itertools
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postroom.errors import Refusal
from tests.room import Room, refused

WORKFLOWS = ("one", "two", "three")
NAMES = ("alfa", "Alfa", "bravo", "b.r-a_vo")
_examples = itertools.count()


@dataclass
class Known:
    """What the model knows of an agent."""

    id: str
    name: str
    workflow: str
    is_live: bool = True


PEOPLE = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(WORKFLOWS), st.booleans()), max_size=7
)
ADDRESSES = st.one_of(st.sampled_from(NAMES), st.integers(0, 9), st.sampled_from(("x", "agt_")))


@settings(
    derandomize=True,
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(PEOPLE, st.lists(ADDRESSES, min_size=1, max_size=4))
def test_an_address_means_what_the_model_says(
    small_room: Room, people: list[tuple[str, str, bool]], addresses: list[str | int]
) -> None:
    mark = f"-{next(_examples)}"
    sender = small_room.agent(f"sender{mark}", f"one{mark}")
    known: list[Known] = []
    for name, workflow, stays in people:
        made = _make(small_room, known, name + mark, workflow + mark)
        if made and not stays:
            small_room.call("ArchiveAgent", id=made.id)
            made.is_live = False
    for address in addresses:
        text = _spelled(address, known, mark)
        assert _reached(small_room, sender.id, text) == _expected(known, text, f"one{mark}")


def _make(room: Room, known: list[Known], name: str, workflow: str) -> Known | None:
    live = [k for k in known if k.is_live and k.workflow == workflow]
    if any(k.name.lower() == name.lower() for k in live):
        assert refused(lambda: room.agent(name, workflow)).reason == "NAME_TAKEN"
        return None
    known.append(Known(room.agent(name, workflow).id, name, workflow))
    return known[-1]


def _spelled(address: str | int, known: list[Known], mark: str) -> str:
    if isinstance(address, int):
        return known[address].id if address < len(known) else f"agt_{address}"
    return address + mark


def _reached(room: Room, sender: str, address: str) -> str | set[str]:
    try:
        return room.send(sender, address).to_agent_id
    except Refusal as refusal:
        if refusal.reason == "NAME_AMBIGUOUS":
            return {resource.name for resource in refusal.resources}
        return refusal.reason


def _expected(known: list[Known], address: str, own: str) -> str | set[str]:
    for agent in known:
        if agent.id == address:
            return agent.id if agent.is_live else "RECIPIENT_ARCHIVED"
    named = [agent for agent in known if agent.is_live and agent.name == address]
    near = [agent for agent in named if agent.workflow == own]
    holders = near or named
    if len(holders) > 1:
        return {agent.id for agent in holders}
    return holders[0].id if holders else "AGENT_NOT_FOUND"
