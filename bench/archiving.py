"""How fast messages go to Git: into a repository of a few messages, and into a large one."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench import goals
from bench.cells import Cell, Sample
from bench.people import BODY, room
from bench.project import Letter, Project, make_project
from bench.trouble import Trouble
from postroom.assemble import PostRoom

AGENTS = 20
# The message, the sender's copy and the recipient's.
_FILES = 3
_BUILT_TOGETHER = 10_000
# Messages in a round, and how many rounds one figure is made of: what has come together
# between two looks of a busy server, and the most that goes into one commit.
# Packs are joined once in some forty commits; the round in which that falls takes it along.
_ROUNDS = {300: 3, 2_000: 1}


@contextlib.contextmanager
def cells(messages: int, folder: Path) -> Iterator[Sequence[Cell]]:
    """A cell for each number of messages that are taken together; nothing is served."""
    file = folder / "mail.db"
    with room(f"sqlite:///{file}") as opened:
        courier = Archived(make_project(opened, "/bench/large", AGENTS), file)
        for built in range(0, messages, _BUILT_TOGETHER):
            courier.take(min(_BUILT_TOGETHER, messages - built))
        label = f"courier into {messages:,} messages / into {AGENTS}"
        yield [
            Cell(
                "courier",
                f"{label}, {count:,} together, in-process",
                goals.COURIER,
                _measure(courier, count, rounds),
            )
            for count, rounds in _ROUNDS.items()
        ]


class Archived:
    """A project whose messages all stand in its repository."""

    def __init__(self, project: Project, file: Path) -> None:
        self._project = project
        self.file = file
        self._sent = 0

    @property
    def room(self) -> PostRoom:
        """Where the project is."""
        return self._project.room

    def take(self, count: int) -> float:
        """Store messages and have them taken; returns how long the taking took, in seconds."""
        self._project.write(self.file, self._letters(count))
        courier = self.room.courier
        assert courier is not None
        begun = time.perf_counter()
        done = courier.round()
        taken = time.perf_counter() - begun
        if done.taken != count or done.left or done.troubles:
            raise Trouble(f"the courier was to take {count} messages, and there was {done}")
        return taken

    def _letters(self, count: int) -> Iterator[Letter]:
        for at in range(self._sent, self._sent + count):
            lap, sender = divmod(at, AGENTS)
            yield Letter(sender, (sender + 1 + lap % (AGENTS - 1)) % AGENTS, f"{BODY} {at}")
        self._sent += count


def _measure(large: Archived, count: int, rounds: int) -> Callable[[int], Sample]:
    opened, made = large.room, 0

    def fresh() -> float:
        nonlocal made
        made += 1
        small = Archived(make_project(opened, f"/bench/small-{count}-{made}", AGENTS), large.file)
        # Making the repository, and filing who the agents are, is not counted.
        small.take(AGENTS)
        return small.take(count)

    def measure(turn: int) -> Sample:
        quick = slow = 0.0
        for at in range(turn, turn + rounds):
            before = large.take(count) if at % 2 else 0.0
            quick += fresh()
            slow += before or large.take(count)
        files = _FILES * count * rounds
        return Sample(slow / quick, files / slow, files / quick)

    return measure
