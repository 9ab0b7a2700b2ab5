"""Deleting what nobody is offered any more, and counting what still waits, a little at a time."""

import asyncio
import logging

from postroom.agent import OPERATOR
from postroom.errors import Refusal
from postroom.instant import DAY, SECOND
from postroom.mail import MailKind
from postroom.office import Office
from postroom.ports import Session

log = logging.getLogger(__name__)

EVERY_SECONDS = 600
# Of one look at who has mail that waits.
_AGENTS = 100


def sweep_once(office: Office) -> int:
    """Delete one small batch of expired mail, old answers and counted uploads; returns how many."""
    now, limits = office.clock.now(), office.limits
    return office.store.sweep(
        expired_before=now - limits.mail_retention * SECOND,
        answered_before=now - limits.request_id_retention * SECOND,
        # The quota of attachments is one of a day.
        uploaded_before=now - DAY,
    )


def sweep_all(office: Office) -> None:
    """Delete batch after batch; calls get their turn between two."""
    while sweep_once(office):
        pass


def recount_all(office: Office) -> None:
    """Take mail that has expired out of the counters of mailboxes that nobody looks at."""
    after = 0
    while last := _recount(office, after):
        after = last


def _recount(office: Office, after: int) -> int:
    """Count some mailboxes anew; returns the last agent's number, 0 when there are no more."""

    def work(session: Session) -> int:
        agents = session.agents(workflow=None, parent=None, state=None, after=after, limit=_AGENTS)
        operator = None if after else session.agent(OPERATOR)
        seen = {each.number: each for each in (*agents, *([operator] if operator else []))}
        waiting = [each for each in seen.values() if each.mailbox.waiting]
        if waiting:
            locked = session.lock(*waiting)
            now = office.clock.now()
            counts = session.count_waiting(locked, now=now, kind=MailKind.PLAIN)
            for agent in locked:
                if counts[agent.number] < agent.mailbox.waiting:
                    session.recount_waiting(agent, counts[agent.number])
        return agents[-1].number if agents else 0

    return office.store.write(work)


async def sweep_for_ever(office: Office) -> None:
    """Sweep in the background until cancelled; a failed sweep is tried again later."""
    while True:
        try:
            await asyncio.to_thread(sweep_all, office)
            await asyncio.to_thread(recount_all, office)
        except Refusal as refusal:
            log.warning("sweep put off: %s", refusal)
        await asyncio.sleep(EVERY_SECONDS)
