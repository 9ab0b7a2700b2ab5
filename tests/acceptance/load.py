"""Several client processes at work on one server, or on two."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.acceptance.client import PATIENCE_SECONDS, Plan
from tests.acceptance.polling import for_a_while
from tests.acceptance.server import Server, environment

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Correspondents:
    """The agents that a load is made of."""

    senders: list[str]
    recipients: list[str]

    @classmethod
    def made(cls, server: Server, senders: int = 4, recipients: int = 3) -> "Correspondents":
        """Make them on a server."""
        return cls(
            make_agents(server, *(f"sender{n}" for n in range(senders))),
            make_agents(server, *(f"recipient{n}" for n in range(recipients))),
        )


def make_agents(server: Server, *names: str) -> list[str]:
    """Make agents as the operator and return their ids."""
    door = server.door("grpc")
    return [door.call("CreateAgent", name=name, workflow="main").agent.id for name in names]


class Load:
    """Client processes, one for each plan, and what they wrote down."""

    def __init__(self, folder: Path, name: str = "load") -> None:
        self._folder = folder / name
        self._folder.mkdir()
        self._stop = self._folder / "stop"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._journals: list[Path] = []

    def where(self, server: Server) -> str:
        """Tell clients, also those at work, where the server is; returns the file that does."""
        path = self._folder / "where"
        fresh = path.with_suffix(".new")
        fresh.write_text(f"{server.grpc} {server.http}")
        fresh.rename(path)
        return str(path)

    def plans(self, server: Server, agents: Correspondents, **more: Any) -> list[Plan]:
        """A plan for each sender."""
        where = self.where(server)
        return [
            Plan(
                name=f"{self._folder.name}{n}",
                where=where,
                journal=str(self._folder / f"journal{n}"),
                stop=str(self._stop),
                agent=sender,
                recipients=agents.recipients,
                **more,
            )
            for n, sender in enumerate(agents.senders)
        ]

    def start(self, plans: Sequence[Plan]) -> "Load":
        """Start a process for each plan."""
        for plan in plans:
            self._journals.append(Path(plan.journal))
            self._processes.append(self._process(plan))
        return self

    def run_for(self, seconds: float) -> None:
        """Let the clients work; fails as soon as one of them breaks."""
        for_a_while(seconds, self._must_be_at_work)

    def stop(self) -> list[dict[str, Any]]:
        """Let each client bring its request to an end; returns all journals' entries."""
        self._stop.touch()
        return self.join()

    def join(self, seconds: float = PATIENCE_SECONDS + 15) -> list[dict[str, Any]]:
        """Wait until all clients are done; returns all journals' entries."""
        for process in self._processes:
            process.wait(seconds)
        self._must_be_at_work()
        return self.entries()

    def entries(self) -> list[dict[str, Any]]:
        """What the clients wrote down so far."""
        return [
            json.loads(line)
            for journal in self._journals
            if journal.exists()
            for line in journal.read_text().splitlines()
        ]

    def end(self) -> None:
        """Leave no process behind."""
        for process in self._processes:
            if process.poll() is None:
                process.kill()
                process.wait()

    def _process(self, plan: Plan) -> subprocess.Popen[bytes]:
        with self._errors(plan).open("wb") as errors:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.acceptance.client", plan.to_json()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                cwd=self._folder,
                env=environment(self._folder) | {"PYTHONPATH": str(ROOT)},
                start_new_session=True,
            )

    def _errors(self, plan: Plan) -> Path:
        return self._folder / f"{plan.name}.err"

    def _must_be_at_work(self) -> None:
        broken = [process.pid for process in self._processes if process.poll() not in (None, 0)]
        if broken:
            said = "\n".join(path.read_text() for path in self._folder.glob("*.err"))
            raise AssertionError(f"{len(broken)} clients broke: {said}")


def without_request_ids(plans: Sequence[Plan]) -> list[Plan]:
    """The same plans with the guard against doubles off."""
    return [replace(plan, with_request_ids=False, repeats=1.0) for plan in plans]


def soak_rounds(short: int) -> int:
    """How many rounds a test of random faults makes."""
    return int(os.environ.get("POSTROOM_SOAK_ROUNDS", short))
