"""The HTTP listener: uvicorn on the event loop that gRPC runs on."""

import contextlib
import socket
from collections.abc import Iterator
from typing import Any

import uvicorn

_BACKLOG = 2048
_IDLE_SECONDS = 120


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
            http="httptools",
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
