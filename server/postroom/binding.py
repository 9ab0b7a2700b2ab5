"""Taking the places where the server listens."""

import socket
from dataclasses import dataclass
from pathlib import Path

from postroom import unix
from postroom.exposure import Exposure
from postroom.listen import Address
from postroom.surfaces.web import bind
from postroom.surfaces.wire import Wire


@dataclass(frozen=True, slots=True)
class OnSocket:
    """A place in the file system."""

    path: Path

    def __str__(self) -> str:
        return f"unix:{self.path}"


Place = Address | OnSocket


class CannotListen(Exception):
    """A place is taken; the text names the setting that moves it."""

    def __init__(self, place: Place, setting: str) -> None:
        variable = setting.upper().replace("-", "_")
        super().__init__(
            f"cannot listen on {place}: it is taken or not allowed; end the other program, or "
            f"choose another address with --{setting} or POSTROOM_{variable}"
        )


def must_be_free(exposure: Exposure) -> None:
    """Look before the database is opened: a server that cannot serve must not migrate it.

    Raises CannotListen.
    """
    if not exposure.sockets:
        _port(exposure.grpc, "grpc").close()
        _port(exposure.http, "http").close()
    if exposure.metrics:
        _port(exposure.metrics, "metrics").close()


def bind_grpc(wire: Wire, exposure: Exposure) -> Place:
    """Take the place of gRPC. Raises CannotListen."""
    if exposure.sockets:
        path = exposure.sockets.grpc
        # Tried first because gRPC's core writes lines of its own when it fails to bind.
        _socket(path).close()
        path.unlink()
        wire.bind(f"unix:{path}")
        path.chmod(0o600)
        return OnSocket(path)
    _port(exposure.grpc, "grpc").close()
    return Address(exposure.grpc.host, wire.bind(str(exposure.grpc)))


def bind_http(exposure: Exposure) -> tuple[socket.socket, Place]:
    """Take the place of HTTP. Raises CannotListen."""
    if exposure.sockets:
        return _socket(exposure.sockets.http), OnSocket(exposure.sockets.http)
    listener = _port(exposure.http, "http")
    return listener, Address(exposure.http.host, listener.getsockname()[1])


def bind_metrics(address: Address) -> tuple[socket.socket, Address]:
    """Take the place of /metrics. Raises CannotListen."""
    listener = _port(address, "metrics")
    return listener, Address(address.host, listener.getsockname()[1])


def _port(address: Address, setting: str) -> socket.socket:
    try:
        return bind(address.host, address.port)
    except OSError:
        raise CannotListen(address, setting) from None


def _socket(path: Path) -> socket.socket:
    try:
        unix.prepare(path)
        return unix.bind(path)
    except OSError:
        raise CannotListen(OnSocket(path), "unix-socket") from None
