"""A clock that pauses move, and a call that answers as it is told."""

from collections.abc import Iterator

from postroom.cli.failure import Failure
from postroom.cli.waiting import Wait

Answer = str | Failure | float | tuple[float, Failure]
AWAY = Failure("unavailable", "cannot reach it", reason="SERVER_UNREACHABLE")
STOPPING = Failure("unavailable", "the server is stopping", reason="STOPPING")
REFUSED = Failure("unavailable", "broke off", reason="TLS_REFUSED")
SILENT = Failure("deadline_exceeded", "no answer")


class Script:
    """Each answer is mail, a Failure, or how many seconds pass until the call returns none.

    A pair is how many seconds pass until a call fails.
    """

    def __init__(self, *answers: Answer, seconds: float = float("inf")) -> None:
        self.now = 1000.0
        self.asked: list[int] = []
        self.pauses: list[float] = []
        self._answers: Iterator[Answer] = iter(answers)
        self._wait = Wait(seconds, lambda: self.now, self._pause)

    def run(self) -> str:
        """Wait, and return what came."""
        return self._wait.until(self._ask)

    def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def _ask(self, seconds: int) -> str | None:
        self.asked.append(seconds)
        answer = next(self._answers)
        if isinstance(answer, tuple):
            seconds_passed, answer = answer
            self.now += seconds_passed
        if isinstance(answer, Failure):
            raise answer
        if isinstance(answer, str):
            return answer
        self.now += answer
        return None
