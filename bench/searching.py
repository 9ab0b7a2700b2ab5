"""Pages of what is found among many messages, against a page of the inbox."""

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop

from bench import goals
from bench.cells import Cell, Sample
from bench.options import Options
from bench.people import call, room
from bench.probe import PAGE
from bench.project import Letter, Project, make_project
from bench.trouble import Trouble

AGENTS = 50
# However long a page takes.
_LEAST_CALLS = 5
_COMMON, _RARE = "measured", "axolotl"
# A page of 50 and a further one.
_RARE_MESSAGES = 60
_WORDS_EACH, _VOCABULARY = 30, 5_000


@contextlib.contextmanager
def cells(options: Options, folder: Path) -> Iterator[Sequence[Cell]]:
    """A rare word, and one that stands in every message."""
    count = options.searched
    file = folder / "mail.db"
    with room(f"sqlite:///{file}", archive="off") as opened:
        project = make_project(opened, "/bench/search", AGENTS)
        project.write(file, _letters(count))
        reader = Reader(project)
        yield [
            Cell(
                "search",
                f"SearchMessages of {told} in {count:,} / FetchInbox, in-process",
                goals.SEARCH,
                _measure(reader, word, options.seconds),
            )
            for told, word in (("a rare word", _RARE), ("a word of all", _COMMON))
        ]


@dataclass(frozen=True)
class Reader:
    """The agent that every second message is for."""

    project: Project

    def seconds(self, method: str, length: float, **fields: Any) -> float:
        """The mean time of a call that answers a full page; calls for `length` seconds.

        Raises Trouble for any other answer.
        """
        agent, key = self.project.agents[0], self.project.workflow.key
        asked = {"project_key": key, "agent_name": agent.name, **fields}

        async def run() -> float:
            begun, calls = time.perf_counter(), 0
            while calls < _LEAST_CALLS or time.perf_counter() - begun < length:
                calls += 1
                answer = await call(self.project.room, method, agent.id, **asked)
                if len(answer.messages) != PAGE or not answer.next_page_token:
                    raise Trouble(f"{method} answered {len(answer.messages)} messages")
            return (time.perf_counter() - begun) / calls

        return uvloop.run(run())


def _measure(reader: Reader, word: str, length: float) -> Callable[[int], Sample]:
    def found() -> float:
        return reader.seconds("SearchMessages", length, query=word)

    def measure(turn: int) -> Sample:
        first = found() if turn % 2 else None
        inbox = reader.seconds("FetchInbox", length)
        search = first or found()
        return Sample(search / inbox, 1 / search, 1 / inbox)

    return measure


def _letters(count: int) -> Iterator[Letter]:
    """Every second for the reader, who is first; the rare word stands in some of those."""
    chance = random.Random(count)
    vocabulary = [f"word{at}" for at in range(_VOCABULARY)]
    # Even, so that those are the reader's.
    apart = count // _RARE_MESSAGES // 2 * 2
    for at in range(count):
        half = at // 2
        sender = 1 + half % (AGENTS - 1)
        recipient = 1 + (half + 1) % (AGENTS - 1) if at % 2 else 0
        words = [_COMMON, *chance.choices(vocabulary, k=_WORDS_EACH)]
        if at % apart == 0:
            words.append(_RARE)
        yield Letter(sender, recipient, " ".join(words))
