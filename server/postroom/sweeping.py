"""Deleting what nobody is offered any more, a little at a time."""

import asyncio
import logging

from postroom.errors import Refusal
from postroom.instant import DAY, SECOND
from postroom.office import Office

log = logging.getLogger(__name__)

EVERY_SECONDS = 600


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


async def sweep_for_ever(office: Office) -> None:
    """Sweep in the background until cancelled; a failed sweep is tried again later."""
    while True:
        try:
            await asyncio.to_thread(sweep_all, office)
        except Refusal as refusal:
            log.warning("sweep put off: %s", refusal)
        await asyncio.sleep(EVERY_SECONDS)
