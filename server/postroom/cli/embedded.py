"""The post room inside this process, for where no server runs."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from postroom.assemble import PostRoom, assemble
from postroom.cli.failure import Failure
from postroom.errors import Refusal
from postroom.rpc.door import Door
from postroom.settings import BadSetting, load
from postroom.storage.migrate import SchemaTooNew
from postroom.storage.open import BadUrl
from postroom.storage.sqlite import BadFile
from postroom.sweeping import sweep_for_ever
from postroom.wakeups import LocalWakeups

log = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def embedded() -> AsyncIterator[Door]:
    """Open the database that the server's settings name. Raises Failure."""
    wakeups = LocalWakeups(asyncio.get_running_loop())
    room = await asyncio.to_thread(_open, wakeups)
    store = room.office.store
    log.warning("no server answers, so the database is opened here")
    work = [
        sweep_for_ever(room.office),
        wakeups.look_for_ever(store),
        wakeups.prove_for_ever(store),
    ]
    if room.courier:
        wakeups.call_also(room.courier.wake, room.courier.is_awake)
        work.append(room.courier.run_for_ever())
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield room.door
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(room.close)


def _open(wakeups: LocalWakeups) -> PostRoom:
    try:
        settings = load({})
        return assemble(settings, wakeups=wakeups, trusted=not settings.require_auth)
    except (BadSetting, BadUrl) as error:
        raise Failure("invalid_argument", str(error)) from error
    except (SchemaTooNew, BadFile) as error:
        raise Failure("failed_precondition", str(error)) from error
    except Refusal as refusal:
        raise Failure(refusal.code.name.lower(), refusal.message) from refusal
