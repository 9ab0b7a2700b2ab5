"""SetContactPolicy: choose whom an agent takes messages from."""

from agent.v1.message_service_pb2 import SetContactPolicyRequest, SetContactPolicyResponse
from postroom.messaging import speaking
from postroom.office import Call
from postroom.records import Description
from postroom.rpc.messages import agent_message


def set_contact_policy(call: Call, request: SetContactPolicyRequest) -> SetContactPolicyResponse:
    """Store the policy and return the agent."""
    project = speaking.project(call, request.project_key)
    agent = speaking.manager(call, project, request.agent_name)
    (agent,) = call.session.lock(agent)
    agent = call.session.describe(agent, Description(contact_policy=request.policy))
    speaking.acted(call, agent)
    return SetContactPolicyResponse(agent=agent_message(agent, call.waiting(agent)))
