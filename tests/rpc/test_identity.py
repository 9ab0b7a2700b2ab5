"""Who a caller says it is."""

from functools import partial

import pytest

from postroom.errors import Code
from postroom.rpc.door import Metadata
from postroom.rpc.identity import Identity, identify, values
from tests.room import Room, refused

NAME = "postroom-agent-id"


@pytest.mark.parametrize(
    ("metadata", "agent_id"),
    [
        ((), "operator"),
        (((NAME, ""),), "operator"),
        (((NAME, "agt_1"),), "agt_1"),
        (((NAME, "agt_1"), (NAME, "agt_1")), "agt_1"),
        ((("other", "agt_1"),), "operator"),
        (((NAME, b"agt_1"),), "operator"),
        (((NAME, "operator"),), "operator"),
    ],
    ids=repr,
)
def test_the_identity_is_the_agent_that_is_named(metadata: Metadata, agent_id: str) -> None:
    assert identify(metadata) == Identity(agent_id)


@pytest.mark.parametrize("others", [("agt_1", "agt_2"), ("agt_1", ""), ("", "agt_1")])
def test_two_different_identities_are_refused(others: tuple[str, str]) -> None:
    refusal = refused(lambda: identify([(NAME, other) for other in others]))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, "AMBIGUOUS_CREDENTIAL")


def test_only_text_counts_as_a_value() -> None:
    metadata = (("a", "1"), ("b", "2"), ("a", b"3"), ("a", "4"))
    assert values(metadata, "a") == ["1", "4"]


def test_the_caller_is_a_live_agent_in_either_store(room: Room) -> None:
    alfa, gone = room.agent("alfa"), room.agent("gone", state="AGENT_STATE_DORMANT")

    def caller(id: str) -> str:
        return room.office.store.read(Identity(id).caller).id

    assert [caller(id) for id in (alfa.id, gone.id, "operator")] == [alfa.id, gone.id, "operator"]
    room.call("ArchiveAgent", id=gone.id)
    for id, reason in (
        (gone.id, "CALLER_ARCHIVED"),
        ("agt_nobody", "CALLER_UNKNOWN"),
        ("alfa", "CALLER_UNKNOWN"),
        ("agt_\0", "CALLER_UNKNOWN"),
        ("agt_\ud800", "CALLER_UNKNOWN"),
        ("agt_" + "x" * 100_000, "CALLER_UNKNOWN"),
    ):
        refusal = refused(partial(caller, id))
        assert (refusal.code, refusal.reason) == (Code.UNAUTHENTICATED, reason)
        assert len(refusal.message) < 1_000
