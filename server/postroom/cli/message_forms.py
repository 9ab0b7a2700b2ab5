"""The short commands for projects, messages and contacts."""

from postroom.cli.form import PAGE, Form

_SPEAKER = {"--project": "project_key", "--from": "sender_name"}
_READER = {"--project": "project_key", "--agent": "agent_name"}
_CONTENT = {
    "--to": "to",
    "--cc": "cc",
    "--bcc": "bcc",
    "--subject": "subject",
    "--body": "body_md",
    "--attach": "attachments",
    "--convert": "convert_images",
    "--importance": "importance",
    "--ack": "ack_required",
    "--request-id": "request_id",
}

_PROJECT = {
    "create": Form(
        method="EnsureProject",
        arguments=("project_key",),
        text="Make a project, unless it is there.",
    ),
    "agents": Form(
        method="ListProjectAgents",
        arguments=("project_key",),
        options=PAGE,
    ),
}

_MESSAGE = {
    "send": Form(
        method="SendMessage",
        options={
            **_SPEAKER,
            **_CONTENT,
            "--thread": "thread_id",
            "--topic": "topic",
            "--broadcast": "broadcast",
        },
        text="Send a message to agents of a project.\n\nEvery name must be known, else nobody "
        "gets it; a broadcast passes over those who cannot be reached.",
    ),
    "reply": Form(
        method="ReplyMessage",
        arguments=("message_id",),
        options={**_SPEAKER, **_CONTENT},
        text="Answer a message in its thread.\n\nWithout --to it goes to whoever wrote it or, "
        "when you wrote it, to those it was addressed to.",
    ),
    "inbox": Form(
        method="FetchInbox",
        options={
            **_READER,
            "--unread": "unread_only",
            "--urgent": "urgent_only",
            "--topic": "topic",
            "--since": "since_ts",
            "--bodies": "include_bodies",
            **PAGE,
        },
        text="List the messages that an agent got, newest first, without marking them.",
    ),
    "show": Form(
        method="GetMessage", arguments=("message_id",), options={"--project": "project_key"}
    ),
    "search": Form(method="SearchMessages", arguments=("query",), options={**_READER, **PAGE}),
    "threads": Form(method="ListThreads", options={**_READER, **PAGE}),
    "thread": Form(
        method="FetchThread",
        arguments=("thread_id",),
        options={"--project": "project_key", "--bodies": "include_bodies", **PAGE},
    ),
    "read": Form(method="MarkMessageRead", arguments=("message_id",), options=_READER),
    "ack": Form(method="AcknowledgeMessage", arguments=("message_id",), options=_READER),
}

_CONTACT = {
    "request": Form(
        method="RequestContact",
        options={
            "--project": "project_key",
            "--from": "from_agent",
            "--to": "to_agent",
            "--reason": "reason",
            "--ttl": "ttl_seconds",
        },
    ),
    "respond": Form(
        method="RespondContact",
        options={
            "--project": "project_key",
            "--agent": "to_agent",
            "--from": "from_agent",
            "--accept/--refuse": "accept",
            "--ttl": "ttl_seconds",
        },
        required=("--accept/--refuse",),
    ),
    "list": Form(method="ListContacts", options={**_READER, **PAGE}),
    "policy": Form(method="SetContactPolicy", arguments=("policy",), options=_READER),
}

MESSAGE_GROUPS = {"project": _PROJECT, "message": _MESSAGE, "contact": _CONTACT}
