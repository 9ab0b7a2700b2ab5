"""CreateAgent: make an agent with an empty mailbox."""

from agent.v1.agent_service_pb2 import CreateAgentRequest, CreateAgentResponse
from postroom import lookup, workflow
from postroom.agent import ID_PREFIX, Agent, AgentState, check_name
from postroom.errors import AlreadyExists, Archived, Forbidden, invalid, quoted
from postroom.office import Call
from postroom.records import NewAgent
from postroom.rpc.messages import agent_message
from postroom.workflow import Workflow


def create_agent(call: Call, request: CreateAgentRequest) -> CreateAgentResponse:
    """Store the agent and, for a key that no workflow has, its workflow."""
    check_name(request.name)
    state = _first_state(request.state)
    parent = _parent(call, request.parent_id)
    if call.session.lock(parent or call.caller, call.caller)[0].is_archived and parent:
        told = f"{parent.id} is archived and can have no more children"
        raise Archived(parent.id, told, "PARENT_ARCHIVED")
    own = _workflow(call, request.workflow, parent)
    if own and call.session.name_is_taken(request.name, own.number):
        told = (
            f"a live agent of workflow {quoted(own.key)} is called {request.name!r}; choose another"
        )
        raise AlreadyExists(told, "NAME_TAKEN")
    if own is None:
        key = workflow.normal_key(request.workflow)
        own = call.session.add_workflow(call.new_id(workflow.ID_PREFIX), key, call.now)
    agent = call.session.add_agent(
        NewAgent(
            id=call.new_id(ID_PREFIX),
            name=request.name,
            workflow=own.number,
            role=request.role,
            parent=parent.number if parent else None,
            state=state,
            program=request.program,
            model=request.model,
            task_description=request.task_description,
            created_at=call.now,
        )
    )
    return CreateAgentResponse(agent=agent_message(agent, waiting=0))


def _first_state(asked: int) -> AgentState:
    state = AgentState(asked or AgentState.RUNNING)
    if state is AgentState.ARCHIVED:
        raise invalid("state", "must be AGENT_STATE_RUNNING or AGENT_STATE_DORMANT")
    return state


def _parent(call: Call, parent_id: str) -> Agent | None:
    if not call.caller.is_operator and parent_id in ("", call.caller.id):
        return call.caller
    if not call.caller.is_operator:
        raise Forbidden("you make children of your own only; leave parent_id out", "NOT_YOUR_CHILD")
    if not parent_id:
        return None
    parent = lookup.agent(call.session, parent_id)
    if parent.is_operator:
        raise invalid("parent_id", "the operator is no parent; leave parent_id out")
    return parent


def _workflow(call: Call, id_or_key: str, parent: Agent | None) -> Workflow | None:
    """The workflow that exists, or None when a new key makes one."""
    if parent is not None and not id_or_key:
        return lookup.workflow(call.session, parent.workflow_id)
    id_or_key = workflow.normal_key(id_or_key)
    if not id_or_key:
        raise invalid("workflow", "is required; give a workflow's id or key")
    found = call.session.workflow(id_or_key)
    if parent is not None and (found is None or found.number != parent.workflow):
        _refuse_other_workflow(call, parent)
    if found is None and id_or_key.startswith(workflow.ID_PREFIX):
        lookup.workflow(call.session, id_or_key)
    return found


def _refuse_other_workflow(call: Call, parent: Agent) -> None:
    told = f"a child joins its parent's workflow, {parent.workflow_id}; leave workflow out"
    if call.caller.is_operator:
        raise invalid("workflow", told)
    raise Forbidden(told, "NOT_YOUR_WORKFLOW")
