"""request_id of SendMessage and ReplyMessage: a repeat is answered and stores nothing."""

from functools import partial
from typing import Any

import pytest

from postroom.errors import Code
from postroom.storage.store import Store
from tests.doubles import ManualClock
from tests.operations.messages.world import Project
from tests.operations.tables import contents
from tests.room import refused


def wire(answer: Any) -> bytes:
    """An answer as it goes over the wire."""
    return bytes(answer.SerializeToString(deterministic=True))


@pytest.fixture
def pair(project: Project) -> Project:
    """A project with two agents that may be written to."""
    project.agents("alfa", "bravo")
    return project


@pytest.mark.parametrize("change", ["claimed", "swept", "retired", "blocked", "acknowledged"])
def test_m30_a_repeat_is_answered_byte_for_byte_whatever_has_changed(
    pair: Project, store: Store, clock: ManualClock, change: str
) -> None:
    send = partial(pair.send, "alfa", "bravo", cc=["bravo"], request_id="k")
    first = send()
    bravo = pair.call("ListProjectAgents").agents[1]
    message_id = first.deliveries[0].payload.id
    if change == "claimed":
        pair.room.call("ReadMail", bravo.id)
    elif change == "acknowledged":
        pair.call("AcknowledgeMessage", agent_name="bravo", message_id=message_id)
    elif change == "retired":
        pair.archive(bravo)
    elif change == "blocked":
        pair.call("SetContactPolicy", agent_name="bravo", policy="block_all")
    else:
        clock.advance(days=60)
        store.sweep(expired_before=clock.now(), answered_before=0)
    before = contents(store)
    assert wire(send()) == wire(first)
    assert contents(store) == before


def test_m30_a_call_that_was_cut_after_its_commit_is_repeated_with_one_message(
    pair: Project,
) -> None:
    # An omitted cc arrives as an empty list.
    ids = {
        pair.send("alfa", "bravo", cc=None, request_id="k").deliveries[0].payload.id
        for _ in range(3)
    }
    assert pair.ids("bravo") == list(ids)


@pytest.mark.parametrize(
    "other",
    [
        {"body_md": "other"},
        {"subject": "other"},
        {"cc": ["bravo"]},
        {"ack_required": True},
        {"auto_contact_if_blocked": False},
    ],
    ids=repr,
)
def test_the_key_with_another_request_is_refused(pair: Project, other: dict[str, Any]) -> None:
    pair.send("alfa", "bravo", request_id="k")
    refusal = pair.unsent("alfa", "bravo", request_id="k", **other)
    assert (refusal.code, refusal.reason) == (Code.ALREADY_EXISTS, "REQUEST_ID_REUSED")


def test_two_unnamed_speakers_have_keys_of_their_own(pair: Project) -> None:
    first = pair.message("alfa", "bravo", request_id="k")
    second = pair.message("bravo", "alfa", request_id="k")
    third = pair.message("alfa", "bravo", request_id="k", as_=_id(pair, "alfa"))
    assert len({first.id, second.id, third.id}) == 3
    assert pair.message("alfa", "bravo", request_id="k").id == first.id
    assert pair.message("bravo", "alfa", request_id="k").id == second.id


def _id(project: Project, name: str) -> str:
    agents = project.call("ListProjectAgents").agents
    return str(next(agent.id for agent in agents if agent.name == name))


def test_two_projects_have_keys_of_their_own(pair: Project) -> None:
    other = Project(pair.room, "/other")
    other.agents("alfa", "bravo")
    first = pair.message("alfa", "bravo", request_id="k")
    assert other.message("alfa", "bravo", request_id="k").id != first.id


def test_a_send_and_a_reply_have_keys_of_their_own(pair: Project) -> None:
    sent = pair.message("alfa", "bravo", request_id="k")
    answer = pair.reply("bravo", sent.id, request_id="k")
    own = pair.reply("alfa", sent.id, request_id="k")
    assert len({sent.id, answer.id, own.id}) == 3
    before = pair.stored()
    assert pair.reply("bravo", sent.id, request_id="k") == answer
    assert pair.stored() == before
    call = partial(pair.reply, "bravo", sent.id, "other", request_id="k")
    assert pair.refusal(call).reason == "REQUEST_ID_REUSED"


def test_a_refusal_leaves_no_key(pair: Project) -> None:
    pair.call("SetContactPolicy", agent_name="bravo", policy="contacts_only")
    send = partial(pair.send, "alfa", "bravo", request_id="k")
    assert refused(send).reason == "CONTACT_REQUIRED"
    pair.respond("bravo", "alfa", accept=True)
    sent = send().deliveries[0].payload
    assert pair.ids("bravo") == [sent.id]
    assert send().deliveries[0].payload == sent


def test_without_a_key_each_call_sends_another(pair: Project) -> None:
    assert len({pair.message("alfa", "bravo").id for _ in range(3)}) == 3


def test_a_repeat_by_whoever_may_not_speak_is_refused(pair: Project) -> None:
    token = pair.room.call("CreateToken", agent_id=_id(pair, "alfa")).token
    sent = pair.message("alfa", "bravo", as_=token, request_id="k")
    for caller in ("", _id(pair, "bravo")):
        assert refused(partial(pair.send, "alfa", "bravo", as_=caller, request_id="k")).reason in (
            "TOKEN_REQUIRED",
            "IDENTITY_MISMATCH",
        )
    assert pair.message("alfa", "bravo", as_=token, request_id="k") == sent
