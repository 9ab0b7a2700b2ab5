"""WaitForMail: wait until mail waits."""

import asyncio
from collections.abc import Sequence

from agent.v1.agent_service_pb2 import WaitForMailRequest
from postroom.mail import Piece
from postroom.office import StreamCall
from postroom.page import DEFAULT_LIMIT
from postroom.ports import Session
from postroom.rpc import messages

_DEFAULT_SECONDS, _MOST_SECONDS = 50, 3600
# An answer must be on its way before the caller's own deadline.
_MARGIN = 0.25


async def wait_for_mail(call: StreamCall, request: WaitForMailRequest) -> bytes:
    """Return the waiting mail once there is some, or nothing when the time is over."""
    asked = min(request.timeout_seconds or _DEFAULT_SECONDS, _MOST_SECONDS)
    patience = asked if call.time_left is None else min(asked, call.time_left - _MARGIN)
    with call.subscribe(call.caller) as place:
        try:
            async with asyncio.timeout(max(patience, 0)):
                while not (waiting := await _waiting(call)):
                    await place.wait()
        except TimeoutError:
            waiting = ()
    return messages.mail_list(messages.fitting(waiting, DEFAULT_LIMIT), "")


async def _waiting(call: StreamCall) -> Sequence[Piece]:
    def look(session: Session) -> Sequence[Piece]:
        caller = call.prove(session)
        now = call.office.clock.now()
        return session.waiting(caller, limit=DEFAULT_LIMIT, now=now)

    return await call.office.store.perform(look, writes=False, until=None)
