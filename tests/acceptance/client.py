"""A client process under load: it sends mail and writes down each acknowledgement.

    python -m tests.acceptance.client PLAN

Whatever the server answers is in the journal, handed to the operating system, before
the next request goes out. A request whose outcome is not clear is repeated under the
same request_id until it is.
"""

import json
import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.acceptance.doors import Door, Refused, open_door

# Outcomes after which a client may, and has to, try again.
UNCLEAR = ("UNAVAILABLE", "DEADLINE_EXCEEDED")
PAUSE_SECONDS = 0.02
PATIENCE_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a client does. `where` holds the server's two addresses, gRPC's first."""

    name: str
    where: str
    journal: str
    stop: str
    agent: str
    recipients: list[str]
    seed: int = 1
    doors: list[str] = field(default_factory=lambda: ["grpc", "json"])
    threads: int = 1
    # Requests of each thread, 0 for as many as there is time for.
    count: int = 0
    seconds: float = 10.0
    # How often an acknowledgement is treated as lost and the request repeated.
    repeats: float = 0.1
    with_request_ids: bool = True
    reads: bool = False

    def to_json(self) -> str:
        """The plan as one argument."""
        return json.dumps(asdict(self))


class Journal:
    """Lines that have reached the operating system when `note` returns."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def note(self, **entry: Any) -> None:
        """Write one line down."""
        os.write(self._file, json.dumps(entry).encode() + b"\n")


class Client:
    """One thread's worth of requests, one after another."""

    def __init__(self, plan: Plan, number: int, journal: Journal) -> None:
        self._plan = plan
        self._name = f"{plan.name}.{number}"
        self._journal = journal
        self._random = random.Random(f"{plan.seed} {self._name}")
        self._doors: dict[str, Door] = {}
        # Through which door the last call went.
        self._last = ""
        self._addresses = ""

    def run(self) -> None:
        """Make requests until there are enough or it is time to stop."""
        for number in self._numbers():
            request_id = f"{self._name}-{number}"
            self._send(request_id)
            if self._plan.reads:
                self._read(f"{request_id}-read")
        self._close()

    def _numbers(self) -> Iterator[int]:
        number = 0
        while not Path(self._plan.stop).exists() and number != (self._plan.count or -1):
            number += 1
            yield number

    def _send(self, request_id: str) -> None:
        to = self._random.choice(self._plan.recipients)
        fields = {"to": to, "body": request_id}
        if self._plan.with_request_ids:
            fields["request_id"] = request_id
        for _ in range(1 + (self._random.random() < self._plan.repeats)):
            answer, errors = self._insist("SendMail", fields)
            mail = answer.mail.id if answer else ""
            noted = {"id": request_id, "mail": mail, "to": to, "door": self._last}
            self._journal.note(kind="sent", **noted, errors=errors)

    def _read(self, request_id: str) -> None:
        answer, errors = self._insist("ReadMail", {"limit": 5, "request_id": request_id})
        taken = [mail.id for mail in answer.mail] if answer else []
        self._journal.note(kind="read", id=request_id, taken=taken, errors=errors)
        answer, errors = self._insist("ListMail", {})
        listed = len(answer.mail) if answer else -1
        self._journal.note(kind="listed", id=request_id, count=listed, errors=errors)

    def _insist(self, method: str, fields: dict[str, Any]) -> tuple[Any, list[list[str]]]:
        """Repeat a call until its outcome is clear; returns its answer, if any, and errors."""
        errors: list[list[str]] = []
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            kind = self._last = self._random.choice(self._plan.doors)
            try:
                door = self._door(kind)
                return door.call(method, self._plan.agent, self._plan.seconds, **fields), errors
            except Refused as refused:
                errors.append([refused.code, refused.reason, refused.message, kind])
                if refused.code not in UNCLEAR:
                    break
                time.sleep(PAUSE_SECONDS)
        return None, errors

    def _door(self, kind: str) -> Door:
        addresses = Path(self._plan.where).read_text()
        if addresses != self._addresses:
            self._close()
            self._addresses = addresses
        if kind not in self._doors:
            self._doors[kind] = open_door(kind, *addresses.split())
        return self._doors[kind]

    def _close(self) -> None:
        for door in self._doors.values():
            door.close()
        self._doors = {}


def main(argument: str) -> int:
    """Run all threads of a plan; the exit status is 0 when none broke."""
    plan = Plan(**json.loads(argument))
    journal = Journal(plan.journal)
    clients = [Client(plan, number, journal) for number in range(plan.threads)]
    done: list[Client] = []

    def run(client: Client) -> None:
        client.run()
        done.append(client)

    threads = [threading.Thread(target=run, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 0 if len(done) == len(clients) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
