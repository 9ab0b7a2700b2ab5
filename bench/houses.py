"""Stores of different size with the same people, and calls into them without a wire."""

import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop

from bench.million import Bulk
from bench.people import BODY, call, fill, make_agents, room
from bench.probe import CLAIM, PAGE
from bench.stage import AGENTS
from bench.trouble import Trouble
from postroom.agent import Agent
from postroom.assemble import PostRoom
from postroom.mail import MailDirection
from postroom.ports import Session

# The page near the oldest mail ends a few rows before the end.
_NEAR_OLDEST = 61
# A mailbox holds 200 waiting mails by default: twenty reads of ten.
_READS = 20
Begin = Callable[[int], Awaitable[Any]]


@dataclass(frozen=True)
class House:
    """A store whose hot mailbox holds half of all mail."""

    room: PostRoom
    hot: str
    others: Sequence[str]
    database: str

    @property
    def cursor(self) -> str:
        """The cursor of the hot mailbox's page near the oldest mail."""
        scope = (self.hot, "mail", self.hot, MailDirection.RECEIVED.name)
        return self.room.office.cursors.write(_NEAR_OLDEST, *scope)

    def send(self, at: int) -> Awaitable[Any]:
        """Send one piece to the hot mailbox, from one agent after another."""
        sender = self.others[at % len(self.others)]
        return call(self.room, "SendMail", sender, to=self.hot, body=BODY)

    def list(self, _: int) -> Awaitable[Any]:
        """List the hot mailbox's newest mail."""
        return call(self.room, "ListMail", self.hot)

    def list_oldest(self, _: int) -> Awaitable[Any]:
        """List the hot mailbox's oldest mail."""
        return call(self.room, "ListMail", self.hot, pagination={"cursor": self.cursor})

    def read(self, _: int) -> Awaitable[Any]:
        """Claim ten pieces out of the hot mailbox."""
        return call(self.room, "ReadMail", self.hot, limit=CLAIM)

    def seconds(self, kind: str, calls: int) -> float:
        """The mean time of a whole call."""
        begin: Begin = getattr(self, kind)
        if kind == "send":
            return _mean(begin, calls)
        if kind != "read":
            return _mean(begin, calls, PAGE)
        times = []
        for _ in range(max(1, calls // _READS)):
            fill(self.room, [self.hot], _READS * CLAIM, self.others)
            times.append(_mean(begin, _READS, CLAIM))
        return sum(times) / len(times)


@contextlib.contextmanager
def house(file: Path, total: int) -> Iterator[House]:
    """Build a store with so many mails."""
    with room(database := f"sqlite:///{file}") as opened:
        hot, *others = make_agents(opened, "agent", AGENTS + 1)

        def find(session: Session) -> list[Agent]:
            return [agent for id in (hot, *others) if (agent := session.agent(id))]

        found = opened.office.store.read(find)
        Bulk(opened, found[0], found[1:]).write(file, total)
        yield House(opened, hot, others, database)


def _mean(begin: Begin, calls: int, rows: int = 0) -> float:
    async def run() -> float:
        begun = time.perf_counter()
        for at in range(calls):
            answer = await begin(at)
            if rows and len(answer.mail) != rows:
                raise Trouble(f"a call answered {len(answer.mail)} mails, not {rows}")
        return (time.perf_counter() - begun) / calls

    return uvloop.run(run())
