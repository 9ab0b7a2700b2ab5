"""Who is to get a message: names into agents (messages.md, send_message)."""

from collections.abc import Iterable
from typing import NamedTuple

from postroom.agent import NAME, Agent
from postroom.errors import AgentsUnknown, Archived, invalid
from postroom.message import MOST_RECIPIENTS, Part, Participant
from postroom.ports import Session
from postroom.workflow import Workflow

_PAGE = 500
# Of UTF-8.
_LONGEST_TOLD = 40


class Addressed(NamedTuple):
    """One recipient, before anything is known about whether it may get the message.

    A broadcast passes over whom it cannot reach, but not over who was `named`.
    """

    agent: Agent
    part: Part
    named: bool = True


def parts(to: Iterable[str], cc: Iterable[str], bcc: Iterable[str]) -> dict[str, Part]:
    """Every name once, under the first list that it is in."""
    found: dict[str, Part] = {}
    for part, names in ((Part.TO, to), (Part.CC, cc), (Part.BCC, bcc)):
        for name in names:
            found.setdefault(name, part)
    return found


def named(
    session: Session, within: Workflow, sender: Agent, wanted: dict[str, Part]
) -> list[Addressed]:
    """The agents with these names, in the order given.

    Raises NotFound listing every name that nobody has, Archived for one that only an
    ended agent has, and InvalidRequest (SELF_SEND) for the sender's own.
    """
    if sender.name in wanted:
        field = wanted[sender.name].word
        raise invalid(field, "has yourself; leave your own name out", "SELF_SEND")
    live = {
        each.name: each
        for each in session.agents_named(list(wanted), within.number, archived=False)
    }
    missing = [name for name in wanted if name not in live]
    ended = {
        each.name: each for each in session.agents_named(missing, within.number, archived=True)
    }
    if unknown := [name for name in missing if name not in ended]:
        raise AgentsUnknown([_told(name) for name in unknown])
    for agent in ended.values():
        agent.must_accept_mail()
    return [Addressed(live[name], part) for name, part in wanted.items()]


def everybody(
    session: Session, within: Workflow, sender: Agent, others: dict[str, Part]
) -> tuple[list[Addressed], list[str]]:
    """Every other agent of the project, and the names of those that have ended."""
    live: dict[str, Agent] = {}
    ended: set[str] = set()
    for agent in _all(session, within):
        if agent.is_archived:
            ended.add(agent.name)
        elif agent.number != sender.number and agent.name not in others:
            live[agent.name] = agent
    retired = sorted(ended - live.keys() - others.keys() - {sender.name})
    return [Addressed(agent, Part.TO, named=False) for agent in live.values()], retired


def check_same(found: Iterable[Addressed], meant: Iterable[Participant]) -> None:
    """Raise Archived where a name has passed to another agent than the one that is meant."""
    by_name = {one.name: one for one in meant}
    for one in found:
        known = by_name.get(one.agent.name)
        if known is not None and known.agent != one.agent.number:
            told = (
                f"the {one.agent.name} of the message that you answer has ended, and another agent "
                "has its name now; name whom you mean in to"
            )
            raise Archived(known.agent_id, told, "RECIPIENT_ARCHIVED")


def check_count(count: int) -> None:
    """Refuse a message to more agents than one may have."""
    if count > MOST_RECIPIENTS:
        told = (
            f"the message would go to {count} agents, and one may go to {MOST_RECIPIENTS}; name "
            "those who need to act, in several messages"
        )
        raise invalid("to", told, "TOO_MANY_RECIPIENTS")


def _told(name: str) -> str:
    """A name in a refusal of many, which travels in headers: cut when none can be like it."""
    shown = name.encode()[:_LONGEST_TOLD].decode(errors="ignore")
    return name if shown == name or NAME.fullmatch(name) else f"{shown}…"


def _all(session: Session, within: Workflow) -> Iterable[Agent]:
    after = 0
    while True:
        page = session.agents(
            workflow=within.number, parent=None, state=None, after=after, limit=_PAGE
        )
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].number
