"""RegisterAgent: make an agent of a project, or change what is known of it."""

from agent.v1.message_service_pb2 import RegisterAgentRequest, RegisterAgentResponse
from postroom import issuing
from postroom.agent import ID_PREFIX, Agent, AgentState, check_name
from postroom.attachment import AttachmentsPolicy
from postroom.contact import ContactPolicy
from postroom.errors import AlreadyExists, Forbidden, quoted
from postroom.messaging import speaking
from postroom.office import Call
from postroom.records import Description, NewAgent
from postroom.rpc.messages import agent_message
from postroom.workflow import Workflow


def register_agent(call: Call, request: RegisterAgentRequest) -> RegisterAgentResponse:
    """Store the agent, or what is new of it, and a token where one is wanted."""
    check_name(request.name)
    project = speaking.project(call, request.project_key)
    known = call.session.live_agents_named(request.name, project.number)
    agent = known[0] if known else None
    _check_right(call, agent)
    call.session.lock(call.caller, *known)
    needs_token = request.issue_token
    if agent is not None:
        agent = call.session.describe(agent, _description(request))
    else:
        agent = _add(call, project, request)
        needs_token = needs_token or not call.office.is_trusted
    token = issuing.issue(call, agent, "") if needs_token else issuing.NONE
    call.caller_session.admit(agent.id, token.key_id)
    told = agent_message(agent, call.waiting(agent))
    return RegisterAgentResponse(agent=told, token=token.text)


def _check_right(call: Call, agent: Agent | None) -> None:
    if call.is_unnamed and agent is not None and agent.proves:
        told = f"{agent.name} has a token; register it again with that, or choose another name"
        raise Forbidden(told, "NOT_YOUR_AGENT")
    if call.caller.is_operator or (agent is not None and agent.number == call.caller.number):
        return
    told = "an agent registers only itself; ask the operator to register others"
    raise Forbidden(told, "NOT_YOUR_AGENT")


def _add(call: Call, project: Workflow, request: RegisterAgentRequest) -> Agent:
    if call.session.name_is_taken(request.name, project.number):
        told = (
            f"a live agent of the project is called like {quoted(request.name)} but for its case; "
            "choose another name"
        )
        raise AlreadyExists(told, "NAME_TAKEN")
    return call.session.add_agent(
        NewAgent(
            id=call.new_id(ID_PREFIX),
            name=request.name,
            workflow=project.number,
            role=request.role,
            parent=None,
            state=AgentState.RUNNING,
            program=request.program,
            model=request.model,
            task_description=request.task_description,
            created_at=call.now,
            contact_policy=request.contact_policy or ContactPolicy.AUTO,
            attachments_policy=request.attachments_policy or AttachmentsPolicy.AUTO,
        )
    )


def _description(request: RegisterAgentRequest) -> Description:
    return Description(
        role=request.role or None,
        program=request.program or None,
        model=request.model or None,
        task_description=request.task_description or None,
        contact_policy=request.contact_policy or None,
        attachments_policy=request.attachments_policy or None,
    )
