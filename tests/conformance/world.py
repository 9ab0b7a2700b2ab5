"""Agents and mail put into a store through its sessions, without operations."""

from collections.abc import Callable, Sequence
from functools import partial

from postroom.agent import Agent, AgentState
from postroom.mail import Mail, MailDirection, MailKind
from postroom.ports import Session
from postroom.records import NewAgent
from postroom.storage.store import Store
from tests.doubles import START

NEVER = START * 2
RECEIVED, SENT = MailDirection.RECEIVED, MailDirection.SENT


def new_agent(name: str, workflow: int, parent: int | None = None) -> NewAgent:
    """An agent to be stored."""
    return NewAgent(
        id=f"agt_{name}",
        name=name,
        workflow=workflow,
        role="",
        parent=parent,
        state=AgentState.RUNNING,
        program="",
        model="",
        task_description="",
        created_at=START,
    )


def add_agents(store: Store, *names: str) -> list[Agent]:
    """Store agents of one workflow."""

    def work(session: Session) -> list[Agent]:
        own = session.workflow("main") or session.add_workflow("wfl_main", "main", START)
        return [session.add_agent(new_agent(name, own.number)) for name in names]

    return store.write(work)


def piece(id: str, sender: Agent | None, recipient: Agent, kind: MailKind = MailKind.PLAIN) -> Mail:
    """A piece of mail that does not expire."""
    return Mail(
        id=f"mail_{id}",
        sender=sender.number if sender else None,
        from_agent_id=sender.id if sender else None,
        from_name=sender.name if sender else "postroom",
        recipient=recipient.number,
        to_agent_id=recipient.id,
        body=id,
        reply_to=None,
        created_at=START,
        expires_at=NEVER,
        kind=kind,
    )


def deliver(session: Session, id: str, sender: Agent, recipient: Agent) -> None:
    """Send one piece whose wire form is its id."""
    sender, recipient = session.lock(sender, recipient)
    session.deliver(piece(id, sender, recipient), id.encode(), counted=True)


def sending(id: str, sender: Agent, recipient: Agent) -> Callable[[Session], None]:
    """The work that sends one piece."""
    return partial(deliver, id=id, sender=sender, recipient=recipient)


def wires(store: Store, agent: Agent, direction: MailDirection = RECEIVED) -> list[str]:
    """The ids of an agent's mail, newest first."""
    pieces = store.read(
        lambda session: session.mail(agent.number, direction, before=None, limit=1_000, now=START)
    )
    return [bytes(wire).decode() for _, wire, _, _ in pieces]


def numbers(store: Store, agent: Agent, direction: MailDirection = RECEIVED) -> Sequence[int]:
    """The numbers of an agent's mail, newest first."""
    pieces = store.read(
        lambda session: session.mail(agent.number, direction, before=None, limit=1_000, now=START)
    )
    return [number for number, _, _, _ in pieces]
