"""EnsureProject: make a project, unless it is there."""

from agent.v1.message_service_pb2 import EnsureProjectRequest, EnsureProjectResponse
from postroom import workflow
from postroom.errors import Forbidden, invalid
from postroom.office import Call
from postroom.rpc.messages import workflow_message


def ensure_project(call: Call, request: EnsureProjectRequest) -> EnsureProjectResponse:
    """Return the project with this key, made now if there was none."""
    key = workflow.normal_key(request.project_key)
    found = call.session.workflow(key)
    if found is None or found.key != key:
        if key.startswith(workflow.ID_PREFIX):
            raise invalid("project_key", f"must not begin with {workflow.ID_PREFIX!r}, as ids do")
        if not call.caller.is_operator:
            told = "only the operator makes projects; ask the person who runs the server"
            raise Forbidden(told, "OPERATOR_ONLY")
        call.session.lock(call.caller)
        found = call.session.add_workflow(call.new_id(workflow.ID_PREFIX), key, call.now)
    if call.office.files is not None:
        call.office.files.folder(found.id)
    return EnsureProjectResponse(project=workflow_message(found))
