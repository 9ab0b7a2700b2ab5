"""Which project a call is about, and which agent it speaks as (messages.md, One world)."""

from postroom import address, foreign, lookup, token
from postroom.agent import Agent
from postroom.errors import Forbidden, NotFound, argument, invalid, quoted
from postroom.mail import MailDirection
from postroom.office import Call
from postroom.ports import Session
from postroom.records import NOT_KNOWN
from postroom.workflow import Workflow, normal_key


def project(call: Call, key: str) -> Workflow:
    """The project with exactly this key. Raises NotFound (PROJECT_NOT_FOUND)."""
    wanted = normal_key(key)
    found = call.session.workflow(wanted)
    if found is None or found.key != wanted:
        own = _own_key(call)
        instead = f"your own has {own}" if own else "make it with ensure_project"
        raise NotFound("project", key, f"no project has the key {quoted(key)}; {instead}")
    return found


def located(call: Call, key: str, name: str) -> tuple[Workflow, str]:
    """The project and the agent's name, where either may be left to the other.

    Without a key it is the caller's own project; from the operator, who is in none, the
    project of the agent, which may be given by its id or by a name that only one has.
    """
    session = call.session
    if key:
        return project(call, key), name
    if not call.caller.is_operator:
        within = lookup.workflow(session, call.caller.workflow_id)
        return within, call.caller.name if name == call.caller.id else name
    agent = address.resolve(session, call.caller, name)
    if agent.is_operator:
        raise invalid("agent_name", "is the operator, who gets no messages; name an agent")
    if agent.is_archived:
        told = f"the agent {quoted(name)} has ended; name one that is live"
        raise NotFound("agent", name, told)
    return lookup.workflow(session, agent.workflow_id), agent.name


def member(session: Session, within: Workflow, name: str) -> Agent:
    """The live agent with this name. Raises NotFound (AGENT_NOT_FOUND)."""
    found = session.live_agents_named(name, within.number)
    if not found:
        told = f"no live agent of the project is called {quoted(name)}; register it first"
        raise NotFound("agent", name, told)
    return found[0]


def other(session: Session, within: Workflow, speaks: Agent, field: str, name: str) -> Agent:
    """The other agent that a call is about. Raises InvalidRequest (SELF_CONTACT), NotFound."""
    if name == speaks.name:
        raise invalid(field, "is yourself; contact is with another agent", "SELF_CONTACT")
    return member(session, within, name)


def speaker(call: Call, within: Workflow, name: str) -> Agent:
    """The agent that the call speaks as.

    Who proved or named an identity speaks as itself only; who named nobody speaks as
    whom it says, if that agent has no token. Raises Forbidden (IDENTITY_MISMATCH),
    NotFound, or CallerUnknown (TOKEN_REQUIRED).
    """
    if not call.is_unnamed:
        return _itself(call, within, name)
    agent = member(call.session, within, name)
    if agent.proves:
        told = f"the agent {agent.name} has a token and must call with it; set POSTROOM_TOKEN"
        raise token.token_required(told)
    return agent


def reader(call: Call, within: Workflow, name: str) -> Agent:
    """Whose messages the call reads: the speaker's own, or any agent's for the operator.

    What the operator reads is recorded first, as a look into the agent's mailbox.
    """
    if not call.is_unnamed and call.caller.is_operator:
        agent = member(call.session, within, name)
        foreign.admit(call, agent, MailDirection.RECEIVED)
        foreign.record(call, agent, MailDirection.RECEIVED, NOT_KNOWN)
        return agent
    try:
        return speaker(call, within, name)
    except Forbidden as refusal:
        raise _denied(call, within, name, refusal) from None


def manager(call: Call, within: Workflow, name: str) -> Agent:
    """Whose settings the call changes: the speaker's own, or any agent's for the operator."""
    if call.is_unnamed or not call.caller.is_operator:
        return speaker(call, within, name)
    return member(call.session, within, name)


def acted(call: Call, agent: Agent) -> None:
    """Count a write as the agent's own, where a caller that names nobody made it."""
    if call.is_unnamed:
        call.session.touch(agent, call.now)


def _denied(call: Call, within: Workflow, name: str, refusal: Forbidden) -> Forbidden:
    """The refusal as one to be recorded, if the name is somebody's."""
    found = call.session.live_agents_named(name, within.number)
    if not found:
        return refusal
    direction = MailDirection.RECEIVED
    return foreign.denied(call, found[0], refusal.message, refusal.reason, direction)


def _itself(call: Call, within: Workflow, name: str) -> Agent:
    caller = call.caller
    if (caller.name, caller.workflow) != (name, within.number):
        own = _own_key(call)
        where = f", in the project {own}," if own else ""
        told = (
            f"you call as {caller.name} ({caller.id}){where} and cannot speak as {quoted(name)} "
            "of this project; give your own name and project"
        )
        raise Forbidden(told, "IDENTITY_MISMATCH")
    return caller


def _own_key(call: Call) -> str:
    """The key of the caller's project, which many agents have no tool to look up."""
    if call.caller.workflow is None:
        return ""
    return argument(lookup.workflow(call.session, call.caller.workflow_id).key)
