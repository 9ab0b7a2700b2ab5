"""The short commands for agents, tokens, workflows and mail, and all short commands."""

from postroom.cli.form import PAGE, Form, Then
from postroom.cli.message_forms import MESSAGE_GROUPS

_AGENT = {
    "create": Form(
        method="CreateAgent",
        arguments=("name",),
        options={
            "--workflow": "workflow",
            "--parent": "parent_id",
            "--role": "role",
            "--program": "program",
            "--model": "model",
            "--task": "task_description",
        },
        switches={"--dormant": ("state", "dormant")},
        then=Then(
            flag="--token",
            method="CreateToken",
            field="agentId",
            source=("agent", "id"),
            text="Make a token for it too, which is shown this once.",
        ),
    ),
    "list": Form(
        method="ListAgents",
        options={"--workflow": "workflow", "--parent": "parent_id", "--state": "state", **PAGE},
    ),
    "show": Form(method="GetAgent", arguments=("id",)),
    "archive": Form(method="ArchiveAgent", arguments=("id",)),
    "dormant": Form(
        method="SetAgentState",
        arguments=("id",),
        fixed={"state": "dormant"},
        text="Say that nothing runs behind an agent; its mail waits until it is resumed.",
    ),
    "resume": Form(
        method="SetAgentState",
        arguments=("id",),
        fixed={"state": "running"},
        text="Say that an agent runs again.",
    ),
}

_TOKEN = {
    "create": Form(method="CreateToken", options={"--agent": "agent_id", "--label": "label"}),
    "list": Form(method="ListTokens", options={"--agent": "agent_id", **PAGE}),
    "revoke": Form(method="RevokeToken", arguments=("key_id",)),
}

_WORKFLOW = {"list": Form(method="ListWorkflows", options=PAGE)}

_SEND = Form(
    method="SendMail",
    arguments=("to", "body"),
    options={"--reply-to": "reply_to", "--request-id": "request_id"},
)

_LIST = Form(
    method="ListMail",
    options={"--id": "id", **PAGE},
    switches={"--sent": ("direction", "sent")},
)

_READ = Form(method="ReadMail", options={"--limit": "limit", "--request-id": "request_id"})

COMMANDS = {"send": _SEND, "list": _LIST, "read": _READ}
GROUPS = {"agent": _AGENT, "token": _TOKEN, "workflow": _WORKFLOW, **MESSAGE_GROUPS}
