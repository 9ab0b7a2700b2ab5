"""Names, ids, states and families of agents."""

from dataclasses import replace

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


def test_who_reaches_whom() -> None:
    boss, stranger = agent(1), agent(2)
    kid, sibling, grandchild = agent(3, parent=1), agent(4, parent=1), agent(5, parent=3)
    everybody = (boss, stranger, kid, sibling, grandchild, OPERATOR)
    reached = {
        (one.number, other.number)
        for one in everybody
        for other in everybody
        if one is not other and _reaches(one.number, other.number)
    }
    free = {(a, b.number) for a in (1, 2, 99) for b in everybody if b.number != a}
    assert reached == free | {(3, 1), (3, 4), (4, 1), (4, 3), (5, 3)}


def _reaches(one: int, other: int) -> bool:
    people = {
        1: agent(1),
        2: agent(2),
        3: agent(3, parent=1),
        4: agent(4, parent=1),
        5: agent(5, parent=3),
        99: OPERATOR,
    }
    try:
        people[one].must_reach(people[other])
    except Exception as error:
        assert getattr(error, "reason", "") == "CHILD_SCOPE"
        return False
    return True


def test_a_child_that_writes_past_its_family_is_sent_to_its_parent() -> None:
    refusal = refused(lambda: agent(3, parent=1).must_reach(agent(2)))
    assert (refusal.code, refusal.reason) == (Code.PERMISSION_DENIED, "CHILD_SCOPE")
    assert "agt_1" in refusal.message


@pytest.mark.parametrize("state", list(AgentState))
def test_mail_is_accepted_by_whoever_is_not_archived(state: AgentState) -> None:
    someone = replace(agent(1), state=state)
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
        assert {member.name: member.value for member in ours} == known  # type: ignore[attr-defined]
