"""Ports below those that the system hands to clients."""

import random
import socket
import time

from bench.trouble import Trouble

_RANGE = range(20_000, 32_000)
_ATTEMPTS = 100


def free_port() -> int:
    """A port that nothing listens on at this moment."""
    for port in random.sample(_RANGE, _ATTEMPTS):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise Trouble("found no free port")


def must_listen(port: int, patience: float = 5.0) -> None:
    """Wait until a port takes connections. Raises Trouble."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise Trouble(f"nothing listens on port {port}")
