"""Agents that write messages to a server all the time, whatever becomes of it."""

import contextlib
import threading
from typing import Self

from tests.acceptance.doors import JsonDoor, Refused
from tests.acceptance.server import Server

KEY = "/abs/path/backend"
_RETRY_SECONDS = 0.02


def settle(server: Server, *names: str) -> None:
    """Make a project and agents that take messages from everybody."""
    door = server.door("grpc")
    door.call("EnsureProject", project_key=KEY)
    for name in names:
        door.call("RegisterAgent", project_key=KEY, name=name, contact_policy="open")


def write(
    server: Server, sender: str, to: str, body: str = "see below", request_id: str = ""
) -> str:
    """Send one message and return its id. Raises Refused."""
    with contextlib.closing(JsonDoor(server.http)) as door:
        answer = door.call(
            "SendMessage",
            project_key=KEY,
            sender_name=sender,
            to=[to],
            subject="plan",
            body_md=body,
            request_id=request_id,
        )
    id: str = answer.deliveries[0].payload.id
    return id


class Writers:
    """Threads, one for each sender; an unclear outcome is asked for again by request id."""

    def __init__(self, server: Server, *senders: str, to: str) -> None:
        self._server = server
        self._to = to
        self._stopped = threading.Event()
        self.acknowledged: set[str] = set()
        self._threads = [threading.Thread(target=self._work, args=(name,)) for name in senders]

    def __enter__(self) -> Self:
        """Begin to write."""
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Let each bring its message to an end."""
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _work(self, sender: str) -> None:
        count = 0
        while not self._stopped.is_set():
            count += 1
            while not self._sent(sender, f"{sender}-{count}") and not self._stopped.is_set():
                self._stopped.wait(_RETRY_SECONDS)

    def _sent(self, sender: str, request_id: str) -> bool:
        try:
            self.acknowledged.add(write(self._server, sender, self._to, request_id=request_id))
        except (Refused, OSError):
            return False
        return True
