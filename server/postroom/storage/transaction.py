"""What every query of a call shares: the connection, and whether it may write."""

from collections.abc import Sequence
from typing import Protocol

from postroom.agent import Agent
from postroom.ports import WriteNeeded
from postroom.storage.database import Connection
from postroom.token import Token


class Locks(Protocol):
    """How a transaction keeps other writers from the mailboxes it changes."""

    def take(self, agents: Sequence[Agent]) -> Sequence[Agent]:
        """Lock them all and return them as they are then."""
        ...


class Transaction:
    """One call's part of a transaction.

    Several calls may share a database transaction; `writes` tells whether this one
    has changed anything yet, `arrived` in whose mailboxes it put mail, `delivered` how
    much, and `idle` and `used` which agents and tokens did something that is still to be
    written down.
    `aside` is the connection for what no mail that is still to be stored can change.
    """

    def __init__(self, connection: Connection, locks: Locks | None) -> None:
        self.connection = connection
        self.aside = connection
        self.locks = locks
        self.writes = 0
        self.arrived: set[int] = set()
        self.delivered = 0
        self.touched: set[int] = set()
        self.idle: list[tuple[Agent, int]] = []
        self.used: list[tuple[Token, int]] = []

    def writing(self) -> None:
        """Count a write. Raises WriteNeeded in a read."""
        if self.locks is None:
            raise WriteNeeded
        self.writes += 1

    def lock(self, *agents: Agent) -> Sequence[Agent]:
        """See Session.lock."""
        if self.locks is None:
            raise WriteNeeded
        return self.locks.take(agents)
