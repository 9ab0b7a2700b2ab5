"""Short commands for projects, messages and contacts, and the requests that they make."""

from typing import Any

_READER = {"projectKey": "/p", "agentName": "a"}

MESSAGE_LINES: dict[str, Any] = {
    "project create /p": {"projectKey": "/p"},
    "project agents /p --limit 2 --cursor c": {
        "projectKey": "/p",
        "pagination": {"limit": 2, "cursor": "c"},
    },
    "message send --project /p --from a --to b --to c --cc d --cc e --bcc f --subject s --body -": {
        "projectKey": "/p",
        "senderName": "a",
        "to": ["b", "c"],
        "cc": ["d", "e"],
        "bcc": ["f"],
        "subject": "s",
        "bodyMd": "from stdin\n",
    },
    "message send --importance high --ack --thread t --topic w --broadcast --request-id r": {
        "importance": "high",
        "ackRequired": True,
        "threadId": "t",
        "topic": "w",
        "broadcast": True,
        "requestId": "r",
    },
    "message send --no-convert --attach -": {
        "convertImages": False,
        "attachments": [{"filename": "", "data": "ZnJvbSBzdGRpbgo="}],
    },
    "message reply m1 --project /p --from b --body @@all --to c": {
        "messageId": "m1",
        "projectKey": "/p",
        "senderName": "b",
        "bodyMd": "@all",
        "to": ["c"],
    },
    "message inbox --project /p --agent a": _READER,
    "message inbox --agent a --unread --urgent --topic w --since 2026-12-01T00:00:00Z --bodies": {
        "agentName": "a",
        "unreadOnly": True,
        "urgentOnly": True,
        "topic": "w",
        "sinceTs": "2026-12-01T00:00:00Z",
        "includeBodies": True,
    },
    "message show m1": {"messageId": "m1"},
    "message search plan --project /p --agent a --limit 3": {
        "query": "plan",
        **_READER,
        "pagination": {"limit": 3},
    },
    "message threads --project /p --agent a": _READER,
    "message thread t --project /p --bodies": {
        "threadId": "t",
        "projectKey": "/p",
        "includeBodies": True,
    },
    "message read m1 --project /p --agent a": {"messageId": "m1", **_READER},
    "message ack m1 --project /p --agent a": {"messageId": "m1", **_READER},
    "contact request --project /p --from a --to b --reason why --ttl 60": {
        "projectKey": "/p",
        "fromAgent": "a",
        "toAgent": "b",
        "reason": "why",
        "ttlSeconds": 60,
    },
    "contact respond --project /p --agent b --from a --accept --ttl 60": {
        "projectKey": "/p",
        "toAgent": "b",
        "fromAgent": "a",
        "accept": True,
        "ttlSeconds": 60,
    },
    "contact respond --project /p --agent b --from a --refuse": {
        "projectKey": "/p",
        "toAgent": "b",
        "fromAgent": "a",
        "accept": False,
    },
    "contact list --project /p --agent a": _READER,
    "contact policy contacts_only --project /p --agent a": {"policy": "contacts_only", **_READER},
}
