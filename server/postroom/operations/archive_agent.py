"""ArchiveAgent: end an agent for good."""

from agent.v1.agent_service_pb2 import ArchiveAgentRequest, ArchiveAgentResponse
from postroom import lookup
from postroom.agent import AgentState
from postroom.errors import Forbidden, invalid
from postroom.office import Call
from postroom.rpc.messages import agent_message


def archive_agent(call: Call, request: ArchiveAgentRequest) -> ArchiveAgentResponse:
    """Archive the agent; one that is archived already stays as it is."""
    agent = lookup.agent(call.session, request.id)
    caller = call.caller
    if not caller.is_operator and caller.number != agent.parent:
        raise Forbidden("only its parent and the operator may archive an agent", "NOT_YOUR_AGENT")
    if agent.is_operator:
        raise invalid("id", "names the operator, who cannot be archived; give an agent's id")
    agent = call.session.lock(agent, caller)[0]
    if not agent.is_archived:
        agent = call.session.set_state(agent, AgentState.ARCHIVED)
    return ArchiveAgentResponse(agent=agent_message(agent, call.waiting(agent)))
