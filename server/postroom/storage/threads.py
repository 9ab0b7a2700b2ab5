"""Threads in the database."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

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
        names = self._names(agent, workflow, [row[0] for row in rows])
        return [
            Thread(
                id=thread_id,
                subject=subject,
                messages=messages,
                # In one order on every database, whatever its collation.
                participants=tuple(sorted(names[thread_id])),
                first_at=first_at,
                last_at=last_at,
                last=last,
            )
            for thread_id, subject, messages, first_at, last_at, last in rows
        ]

    def _names(
        self, agent: int, workflow: int, thread_ids: Sequence[str]
    ) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        if thread_ids:
            holes = ", ".join("?" * len(thread_ids))
            text = statements.THREAD_PARTICIPANTS.format(holes=holes)
            for thread_id, name in self.connection.all(text, (agent, workflow, *thread_ids)):
                found[thread_id].append(name)
        return found
