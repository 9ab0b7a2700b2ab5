"""The HTTP listener: uvicorn on the event loop that gRPC runs on."""

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import Iterator
from typing import Any

import uvicorn

from postroom.surfaces.paces import TimedRequests
from postroom.tls import Tls

_BACKLOG = 2048
_IDLE_SECONDS = 120
# How long a client that was cut off may still take to read why.
_CUT_SECONDS = 30.0
# Process, user and group of the peer (unix(7)).
_CREDENTIALS = struct.Struct("3i")


class _Protocol(TimedRequests):
    """Tells the application what only the connection knows.

    The ASGI scope has it under extensions, postroom: the URIs of the certificate that
    the client has shown, and a way to cut off a client that does not read.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Keep what the handshake has found out."""
        super().connection_made(transport)
        if not _is_own(transport.get_extra_info("socket")):
            transport.abort()
        found = transport.get_extra_info("peercert") or {}
        names = found.get("subjectAltName", ())
        self._known: dict[object, object] = {
            "peer_uris": tuple(value for kind, value in names if kind == "URI"),
            "cut": self._cut,
        }

    def on_headers_complete(self) -> None:
        """Add it to the scope of each request."""
        self.scope["extensions"] = {"postroom": self._known}
        super().on_headers_complete()

    def _cut(self) -> None:
        """Let the last words be written, and end the connection whether or not they are read."""
        self.flow.resume_writing()
        asyncio.get_running_loop().call_later(_CUT_SECONDS, self.transport.abort)


class _Server(uvicorn.Server):
    """uvicorn would take SIGTERM for itself and end the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to whoever runs both listeners."""
        yield


def _is_own(link: socket.socket) -> bool:
    """Whether a caller on a Unix socket is this very user; the kernel knows."""
    if link.family != socket.AF_UNIX or not hasattr(socket, "SO_PEERCRED"):
        return True
    found = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(found)
    return bool(user == os.geteuid())


class Web:
    """One HTTP listener."""

    def __init__(
        self, app: Any, listener: socket.socket, grace: int, tls: Tls | None = None
    ) -> None:
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
        config.load()
        config.ssl = tls.context if tls else None
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
