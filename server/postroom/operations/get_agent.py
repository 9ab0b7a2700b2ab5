"""GetAgent: one agent by its id, or the caller itself."""

from agent.v1.agent_service_pb2 import GetAgentRequest, GetAgentResponse
from postroom import lookup
from postroom.office import Call
from postroom.rpc.messages import agent_message


def get_agent(call: Call, request: GetAgentRequest) -> GetAgentResponse:
    """Return the agent with the mail that waits for it counted."""
    agent = lookup.agent(call.session, request.id) if request.id else call.caller
    return GetAgentResponse(agent=agent_message(agent, call.waiting(agent)))
