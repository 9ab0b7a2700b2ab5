"""The short commands: each names a method and which of its fields it takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A short command. Fields are named by their path, such as pagination.limit."""

    method: str
    arguments: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    # Flags that stand for one value of a field, and values that are always sent.
    switches: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    # A flag that asks for one more call.
    then: "Then | None" = None
    # What it does, where that is less than the method's own comment says.
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Then:
    """A call after the first: one field of its request comes from the first one's answer."""

    flag: str
    method: str
    field: str
    source: tuple[str, ...]
    text: str


_PAGE = {"--limit": "pagination.limit", "--cursor": "pagination.cursor"}

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
        options={"--workflow": "workflow", "--parent": "parent_id", "--state": "state", **_PAGE},
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
    "list": Form(method="ListTokens", options={"--agent": "agent_id", **_PAGE}),
    "revoke": Form(method="RevokeToken", arguments=("key_id",)),
}

_WORKFLOW = {"list": Form(method="ListWorkflows", options=_PAGE)}

_SEND = Form(
    method="SendMail",
    arguments=("to", "body"),
    options={"--reply-to": "reply_to", "--request-id": "request_id"},
)

_LIST = Form(
    method="ListMail",
    options={"--id": "id", **_PAGE},
    switches={"--sent": ("direction", "sent")},
)

_READ = Form(method="ReadMail", options={"--limit": "limit", "--request-id": "request_id"})

COMMANDS = {"send": _SEND, "list": _LIST, "read": _READ}
GROUPS = {"agent": _AGENT, "token": _TOKEN, "workflow": _WORKFLOW}
