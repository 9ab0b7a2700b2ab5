"""Names, ids, states and families of agents."""

import pytest

from agent.v1 import agent_pb2, mail_pb2
from postroom.agent import AgentState, check_name, is_id
from postroom.errors import Code
from postroom.mail import MailDirection, MailKind
from tests.domain.people import OPERATOR, agent
from tests.room import refused


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("agt_", True),
        ("mail_x", True),
        ("wfl_x", True),
        ("msg_x", True),
        ("operator", True),
        ("Operator", False),
        ("AGT_x", False),
        ("agt", False),
        ("xagt_", False),
        ("operators", False),
        ("read_1", False),
        ("", False),
    ],
)
def test_an_id_is_told_from_a_name_by_its_beginning(text: str, is_one: bool) -> None:
    assert is_id(text) is is_one


@pytest.mark.parametrize("name", ["a", "0", "a" * 64, "a.b_c-d", "Agt", "mailer", "agt-1"])
def test_a_name_of_the_allowed_characters_is_good(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "INVALID_FIELD"),
        ("a" * 65, "INVALID_FIELD"),
        ("-a", "INVALID_FIELD"),
        ("a\n", "INVALID_FIELD"),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}", "INVALID_FIELD"),
        ("\N{KELVIN SIGN}", "INVALID_FIELD"),
        ("System", "NAME_RESERVED"),
        ("msg_", "NAME_RESERVED"),
        ("AGT_x", "NAME_RESERVED"),
    ],
)
def test_any_other_name_is_refused(name: str, reason: str) -> None:
    refusal = refused(lambda: check_name(name))
    assert (refusal.code, refusal.reason) == (Code.INVALID_ARGUMENT, reason)


def test_the_refusal_of_an_ids_prefix_quotes_it_as_spelled() -> None:
    assert "'MAIL_'" in refused(lambda: check_name("MAIL_x")).message


PEOPLE = {
    "boss": agent(1),
    "stranger": agent(2),
    "kid": agent(3, parent=1),
    "sibling": agent(4, parent=1),
    "grandchild": agent(5, parent=3),
    "operator": OPERATOR,
}
REACHED_BY_CHILDREN = {
    ("kid", "boss"),
    ("kid", "sibling"),
    ("sibling", "boss"),
    ("sibling", "kid"),
    ("grandchild", "kid"),
}


@pytest.mark.parametrize("one", PEOPLE)
@pytest.mark.parametrize("other", PEOPLE)
def test_a_child_reaches_its_family_and_others_reach_everybody(one: str, other: str) -> None:
    sender, recipient = PEOPLE[one], PEOPLE[other]
    if sender.parent is None or (one, other) in REACHED_BY_CHILDREN:
        sender.must_reach(recipient)
    elif one != other:
        assert refused(lambda: sender.must_reach(recipient)).reason == "CHILD_SCOPE"


def test_a_child_that_writes_past_its_family_is_sent_to_its_parent() -> None:
    refusal = refused(lambda: agent(3, parent=1).must_reach(agent(2)))
    assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "CHILD_SCOPE")
    assert "agt_1" in refusal.message


@pytest.mark.parametrize("state", list(AgentState))
def test_mail_is_accepted_by_whoever_is_not_archived(state: AgentState) -> None:
    someone = agent(1, state=state)
    assert someone.is_archived == (state is AgentState.ARCHIVED)
    assert someone.is_dormant == (state is AgentState.DORMANT)
    if state is not AgentState.ARCHIVED:
        someone.must_accept_mail()
        return
    refusal = refused(someone.must_accept_mail)
    assert (refusal.code, refusal.reason) == (Code.FAILED_PRECONDITION, "RECIPIENT_ARCHIVED")


def test_the_numbers_of_states_kinds_and_directions_are_the_contracts() -> None:
    for ours, theirs, prefix in (
        (AgentState, agent_pb2.AgentState, "AGENT_STATE_"),
        (MailKind, mail_pb2.MailKind, "MAIL_KIND_"),
        (MailDirection, mail_pb2.MailDirection, "MAIL_DIRECTION_"),
    ):
        known = {name.removeprefix(prefix): number for name, number in theirs.items() if number}
        assert {member.name: member.value for member in ours} == known
