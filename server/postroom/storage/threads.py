"""Threads in the database."""

from collections.abc import Sequence

from postroom.message import Thread
from postroom.storage import message_statements as statements
from postroom.storage.mail import NO_BOUND
from postroom.storage.transaction import Transaction


class ThreadQueries(Transaction):
    """The part of a session that deals with threads."""

    def threads(
        self, agent: int, workflow: int, *, before: int | None, limit: int
    ) -> Sequence[Thread]:
        """See MessageQuestions.threads."""
        bound = NO_BOUND if before is None else before
        rows = self.connection.all(statements.THREADS, (agent, workflow, bound, limit))
        return [
            Thread(
                id=thread_id,
                subject=subject,
                messages=messages,
                participants=self._names(agent, workflow, thread_id),
                first_at=first_at,
                last_at=last_at,
                last=last,
            )
            for thread_id, subject, messages, first_at, last_at, last in rows
        ]

    def _names(self, agent: int, workflow: int, thread_id: str) -> tuple[str, ...]:
        parameters = agent, workflow, thread_id
        rows = self.connection.all(statements.THREAD_PARTICIPANTS, parameters)
        # In one order on every database, whatever its collation.
        return tuple(sorted(name for (name,) in rows))
