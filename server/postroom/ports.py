"""What the post room needs from the outside, as protocols.

Adapters fulfil them by shape. Instants are microseconds since the epoch
(postroom.instant); numbers of agents and workflows are the store's own keys.
"""

from asyncio import Future as AsyncFuture
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from postroom.agent import Agent
from postroom.agent_ports import AgentQuestions
from postroom.mail import Mail, MailDirection, MailKind, Parties, Piece
from postroom.message_ports import MessageSession
from postroom.records import Answer, MailboxRead, Totals
from postroom.token import Token

T = TypeVar("T")


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> int:
        """The present instant."""
        ...


class Ids(Protocol):
    """Makes ids."""

    def new(self, prefix: str) -> str:
        """A new id that begins with `prefix`; never the same one twice."""
        ...


class Wakeups(Protocol):
    """Is told, after each commit, in whose mailboxes mail arrived."""

    def arrived(self, recipients: frozenset[int]) -> None:
        """Called outside any transaction and from the store's own thread."""
        ...


class Commits(Protocol):
    """Is told of each commit, for those who look after the server."""

    def committed(self, calls: int, mails: int, seconds: float) -> None:
        """So many calls were committed together, with so much new mail, in that time.

        Called from the store's own thread; must be quick.
        """
        ...


class Subscription(Protocol):
    """One watcher's place among those who wait for mail."""

    async def wait(self) -> None:
        """Return when mail may have arrived. Raises Refusal when the watch must end."""
        ...


class Watches(Protocol):
    """Lets watchers wait. For one event loop."""

    def subscribe(
        self, agent: int, prove: "Prove", caller_id: str
    ) -> AbstractContextManager[Subscription]:
        """Take one of the caller's places. Raises QuotaSpent when it has no more.

        `prove` says again, every few seconds, who watches; the watch ends with the
        Refusal that it raises.
        """
        ...


class WriteNeeded(Exception):
    """An operation that was begun as a read turned out to write.

    The store begins it again as a write; nothing of the first run counts.
    """


class Session(AgentQuestions, MessageSession, Protocol):
    """What a call asks and tells the store.

    A call that writes sees one state of the store and changes it whole, in one
    transaction. In a read, each question is answered from the newest state.

    Errors of the database reach the caller as StoreRefusal. In a read, each
    method that writes raises WriteNeeded.
    """

    def parties(self, mail_id: str) -> Parties | None:
        """Between whom the mail with this id went."""
        ...

    def mail(
        self, agent: int, direction: MailDirection, *, before: int | None, limit: int, now: int
    ) -> Sequence[Piece]:
        """One side of an agent's unexpired mail, newest first, numbers below `before`."""
        ...

    def arrivals(self, agent: int, *, after: int, limit: int, now: int) -> Sequence[Piece]:
        """The unexpired mail of a mailbox, oldest first, numbers above `after`."""
        ...

    def received_counts(self, agents: Sequence[int]) -> Mapping[int, int]:
        """The number of the newest piece in each of these mailboxes."""
        ...

    def waiting(self, agent: Agent, *, limit: int, now: int) -> Sequence[Piece]:
        """The oldest mail that is neither claimed nor expired."""
        ...

    def count_waiting(
        self, agents: Sequence[Agent], *, now: int, kind: MailKind | None = None
    ) -> Mapping[int, int]:
        """How much mail waits for each agent, of one kind or of all; exact."""
        ...

    def exchanged(self, one: Agent, other: Agent) -> int:
        """How many counted mails the pair has exchanged."""
        ...

    def exchanges(self, one: Agent, others: Sequence[Agent]) -> Mapping[int, int]:
        """The same for one agent and each of the others, by their numbers."""
        ...

    def reads(self, owner: int, *, before: int | None, limit: int) -> Sequence[MailboxRead]:
        """The record of foreign reads of a mailbox, newest first."""
        ...

    def token(self, key_id: str) -> Token | None:
        """The token with this key id, live or not."""
        ...

    def tokens(self, *, agent: int | None, after: int, limit: int) -> Sequence[Token]:
        """Tokens by number from `after` on, of one agent or of all."""
        ...

    def answer(self, caller: int, method: str, request_id: str) -> Answer | None:
        """The stored answer to a repeated request."""
        ...

    def lock(self, *agents: Agent) -> Sequence[Agent]:
        """Keep everybody else from writing to these mailboxes until the commit.

        Returns the agents as they are now, in the order given. An operation that
        writes calls it once, before its first write, with every agent whose
        counters it changes. With none it only says that the call is going to write.
        """
        ...

    def deliver(self, mail: Mail, wire: bytes, *, counted: bool) -> int:
        """Store a piece under the next numbers of its mailbox and its sender.

        `counted` mail is counted by the pair's exchange. The agents must be locked.
        Returns the number in the mailbox.
        """
        ...

    def add_token(self, token: Token) -> None:
        """Store a token; from now on the agent's id alone proves nothing."""
        ...

    def revoke_token(self, token: Token, at: int) -> Token:
        """Mark a token as revoked and return it."""
        ...

    def use_token(self, token: Token, at: int) -> None:
        """Move a token's last_used_at; in a read afterwards, as `touch` does."""
        ...

    def recount_waiting(self, agent: Agent, waiting: int) -> Agent:
        """Set the counter of waiting plain mail, after expiry made it too high."""
        ...

    def claim(self, agent: Agent, pieces: Sequence[Piece], at: int) -> int:
        """Mark the oldest waiting pieces of a locked agent's mailbox as claimed.

        `pieces` are the first that `waiting` returned for the instant `at`. Returns
        how many pieces still wait.
        """
        ...

    def record_read(self, read: MailboxRead) -> None:
        """Write down a look into somebody else's mailbox, or an attempt.

        It is linked to the record before it (postroom.chain), of whichever server.
        """
        ...

    def count_capped(self) -> None:
        """Count one more pair that has spent its exchange, for `Store.totals`."""
        ...

    def keep_answer(
        self, caller: int, method: str, request_id: str, answer: Answer, at: int
    ) -> None:
        """Store the answer to a request id, for repeats."""
        ...

    def touch(self, agent: Agent, at: int) -> None:
        """Move an agent's last_active_at.

        In a read the store does it afterwards, as soon as it can write, and forgets
        it when it cannot.
        """
        ...


Work = Callable[[Session], T]
Prove = Callable[[Session], Agent]


class Store(Protocol):
    """A database of mail. Any number of servers may share it."""

    @property
    def cursor_key(self) -> bytes:
        """The secret that cursors are signed with, the same for every server."""
        ...

    def read(self, work: Work[T]) -> T:
        """Run a read in this thread and return what it returns."""
        ...

    def write(self, work: Work[T], until: float | None = None) -> T:
        """Run a write, commit it durably, and return what it returned.

        `until` is an instant of time.monotonic after which the work is not begun
        (Expired). Blocks; the work runs in a thread of the store.
        """
        ...

    def perform(self, work: Work[T], *, writes: bool, until: float | None) -> AsyncFuture[T]:
        """The same for an event loop, which must be running; never blocks it long.

        A read that turns out to write is begun again as a write.
        """
        ...

    def check(self) -> None:
        """Raise StoreRefusal when the database cannot serve reads and writes."""
        ...

    def totals(self) -> Totals:
        """Count what is stored. Blocks; the cost grows with the agents, not with the mail."""
        ...

    def sweep(self, *, expired_before: int, answered_before: int, uploaded_before: int = 0) -> int:
        """Delete a bounded number of old rows; returns how many, 0 when done."""
        ...

    def leave(self) -> None:
        """Let go of what this thread has opened for its reads; it will not read again."""
        ...

    def close(self) -> None:
        """Finish what was begun and let go of the database."""
        ...
