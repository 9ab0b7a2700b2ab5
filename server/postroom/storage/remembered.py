"""Agents that reads have met, for as long as nobody commits.

Every read begins with who calls, and that is most often somebody who called before.
"""

import threading
from typing import Any

from postroom.agent import Agent
from postroom.storage import statements
from postroom.storage.database import Connection
from postroom.storage.session import Session

_MOST = 10_000
Agents = dict[str, Agent]


class Remembered(threading.local):
    """What each thread's connection to a SQLite file knows."""

    def __init__(self) -> None:
        self._agents: Agents = {}
        self._version = -1
        self._link: Any = None

    def agents(self, connection: Connection) -> Agents:
        """The agents that are still as they were read."""
        row = connection.one(statements.DATA_VERSION)
        version, link = row[0] if row else -1, connection.peewee.connection()
        # The number changes when another connection commits, and counts for this one only.
        if version != self._version or link is not self._link or len(self._agents) >= _MOST:
            self._agents = {}
            self._version, self._link = version, link
        return self._agents


class RememberingSession(Session):
    """A session that reads, and asks once for each agent."""

    def __init__(self, connection: Connection, agents: Agents) -> None:
        super().__init__(connection, None)
        self._agents = agents

    def agent(self, id: str) -> Agent | None:
        """See ports.Session.agent."""
        found = self._agents.get(id)
        if found is None and (found := super().agent(id)) is not None:
            self._agents[id] = found
        return found
