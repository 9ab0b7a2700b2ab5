"""Free ports on loopback, below those that the system hands out by itself."""

import random
import socket

FIRST, LAST = 20_000, 32_000
_TRIES = 200


def free_port() -> int:
    """A port that nothing listens on at this moment."""
    for _ in range(_TRIES):
        port = random.randrange(FIRST, LAST)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"no port from {FIRST} to {LAST} is free")
