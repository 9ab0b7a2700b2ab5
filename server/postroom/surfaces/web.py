"""The HTTP listener: uvicorn on the event loop that gRPC runs on."""

import contextlib
import json
import socket
from collections.abc import Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from postroom.errors import Code

_BACKLOG = 2048
_IDLE_SECONDS = 120
# As much as gRPC takes (reliability.md, P42).
_MAX_HEAD = 16 * 1024


class HeadTooLarge(Exception):
    """The headers of a request have more bytes than are allowed."""


class _Protocol(HttpToolsProtocol):
    """uvicorn's parser would collect headers without end."""

    _is_in_head = False
    _is_refused = False
    _waited = 0

    def data_received(self, data: bytes) -> None:
        """Parse what came in, while it is not too much."""
        self._waited += len(data)
        super().data_received(data)
        if self._is_in_head and self._waited > _MAX_HEAD and not self.transport.is_closing():
            self._is_refused = True
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Count from here."""
        self._is_in_head, self._waited = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Hand the request on. Raises HeadTooLarge, which ends the connection."""
        self._is_in_head = False
        if sum(len(name) + len(value) for name, value in self.headers) > _MAX_HEAD:
            self._is_refused = True
            raise HeadTooLarge
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse the connection's last request."""
        if self._is_refused:
            self.transport.write(_refusal())
            self.transport.close()
        else:
            super().send_400_response(msg)


def _refusal() -> bytes:
    told = f"the headers have more than {_MAX_HEAD:,} bytes; send less beside the body"
    status = {"code": int(Code.RESOURCE_EXHAUSTED), "message": told, "details": []}
    body = json.dumps(status).encode()
    head = (
        "HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body


class _Server(uvicorn.Server):
    """uvicorn would take SIGTERM for itself and end the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to whoever runs both listeners."""
        yield


class Web:
    """One HTTP listener."""

    def __init__(self, app: Any, listener: socket.socket, grace: int) -> None:
        self._listener = listener
        config = uvicorn.Config(
            app,
            http=_Protocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_BACKLOG,
            timeout_keep_alive=_IDLE_SECONDS,
            timeout_graceful_shutdown=grace,
        )
        self._server = _Server(config)

    async def serve(self) -> None:
        """Answer until `stop`."""
        await self._server.serve(sockets=[self._listener])

    def stop(self, *, now: bool = False) -> None:
        """Take no more connections; let requests finish, unless `now`."""
        self._server.should_exit = True
        self._server.force_exit = now


def bind(host: str, port: int) -> socket.socket:
    """Take a port for HTTP. Raises OSError when it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    # Allows a restart while old connections linger; a listening port stays taken.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        # From here on callers wait in line, and a second server is refused.
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener
