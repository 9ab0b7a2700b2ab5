"""SetAgentState: an agent runs again, or nothing runs behind it."""

from agent.v1.agent_service_pb2 import SetAgentStateRequest, SetAgentStateResponse
from postroom import lookup
from postroom.agent import AgentState
from postroom.errors import Archived, Forbidden, invalid
from postroom.office import Call
from postroom.rpc.messages import agent_message


def set_agent_state(call: Call, request: SetAgentStateRequest) -> SetAgentStateResponse:
    """Move a live agent to running or dormant."""
    state = AgentState(request.state)
    if state is AgentState.ARCHIVED:
        raise invalid("state", "is set by ArchiveAgent; give RUNNING or DORMANT here")
    agent = lookup.agent(call.session, request.id)
    caller = call.caller
    if not caller.is_operator and caller.number not in (agent.number, agent.parent):
        told = "only the agent itself, its parent and the operator may set its state"
        raise Forbidden(told, "NOT_YOUR_AGENT")
    if agent.is_operator:
        raise invalid("id", "names the operator, who has no state; give an agent's id")
    agent = call.session.lock(agent, caller)[0]
    if agent.is_archived:
        told = f"{agent.id} is archived for good; create a new agent instead"
        raise Archived(agent.id, told)
    agent = call.session.set_state(agent, state)
    return SetAgentStateResponse(agent=agent_message(agent, call.waiting(agent)))
