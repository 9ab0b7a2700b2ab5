"""Sessions of MCP over HTTP: the header that names one, and the request that opens one.

The library keeps no sessions here, so that nothing hangs on one but who has called in it.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

Send = Callable[[Any], Awaitable[None]]

# Where the scope of a request keeps the id of its session.
SESSION: Final = "postroom.session"
_HEADER: Final = b"mcp-session-id"
_NOT_FOUND: Final = 404
_NO_CONTENT: Final = 204
_FIRST_ERROR: Final = 400
# JSON-RPC's "invalid request".
_INVALID_REQUEST: Final = -32600
_UNKNOWN: Final = "there is no such session here any more; initialize a new one"
# An opening request is small; what is larger opens nothing.
_MOST_BYTES: Final = 256 * 1024


class SessionIds(Protocol):
    """Gives out the ids of sessions and knows its own again."""

    def issue(self) -> str:
        """A new id, which nobody can guess."""
        ...

    def is_issued(self, id: str) -> bool:
        """Whether the id was given out and not ended."""
        ...

    def end(self, id: str) -> None:
        """Forget a session."""
        ...


def named(scope: Any) -> str | None:
    """The session that a request names, None when it names none."""
    found = [value for name, value in scope["headers"] if name.lower() == _HEADER]
    # Two different ones are none that was ever given out.
    return b",".join(dict.fromkeys(found)).decode("latin-1") if found else None


def opens(body: bytes) -> bool:
    """Whether a request is `initialize`."""
    if len(body) > _MOST_BYTES or b'"initialize"' not in body:
        return False
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(request, dict) and request.get("method") == "initialize"


def announced(send: Send, id: str) -> Send:
    """A way to send an answer that names the session, unless it is a refusal."""

    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start" and message["status"] < _FIRST_ERROR:
            headers = [*message.get("headers", ()), (_HEADER, id.encode())]
            message = {**message, "headers": headers}
        await send(message)

    return sending


async def refuse_unknown(send: Send) -> None:
    """Answer a request of a session that there is not."""
    error = {"code": _INVALID_REQUEST, "message": _UNKNOWN}
    content = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
    ]
    await send({"type": "http.response.start", "status": _NOT_FOUND, "headers": headers})
    await send({"type": "http.response.body", "body": content})


async def confirm_end(send: Send) -> None:
    """Answer a request that has ended its session."""
    await send({"type": "http.response.start", "status": _NO_CONTENT, "headers": []})
    await send({"type": "http.response.body", "body": b""})
