"""WatchMail: every piece that arrives in a mailbox, as it arrives."""

from collections.abc import AsyncGenerator, Sequence

from agent.v1.agent_service_pb2 import WatchMailRequest, WatchMailResponse
from postroom import foreign, lookup
from postroom.agent import Agent
from postroom.errors import invalid
from postroom.mail import MailDirection, Piece
from postroom.office import StreamCall
from postroom.ports import Session
from postroom.records import NOT_KNOWN, ReadEvent
from postroom.rpc.messages import piece_message

_AT_ONCE = 50


async def watch_mail(
    call: StreamCall, request: WatchMailRequest
) -> AsyncGenerator[WatchMailResponse, None]:
    """Send what arrives after its commit, in order and without a gap; claim nothing."""
    owner, number = await _open(call, request)
    scope = _scope(call, owner)
    # First the place, then the mail that is there, so that nothing falls between.
    async with foreign.watching(call, owner) as given:
        with call.subscribe(owner) as place:
            while True:
                pieces = await _next(call, owner, number)
                for piece in pieces:
                    number = piece[0]
                    mail = piece_message(piece)
                    given.add(mail.id)
                    cursor = call.office.cursors.write(number, *scope)
                    yield WatchMailResponse(mail=mail, cursor=cursor)
                if len(pieces) < _AT_ONCE:
                    await place.wait()


async def _open(call: StreamCall, request: WatchMailRequest) -> tuple[Agent, int]:
    """Find whose mailbox it is and after which number to begin; record a foreign read."""

    def opened(session: Session) -> tuple[Agent, int]:
        caller = call.prove(session)
        owner = lookup.agent(session, request.id) if request.id else caller
        before = call.office.cursors.read(request.cursor, *_scope(call, owner), field="cursor")
        if before is not None and request.include_waiting:
            raise invalid("include_waiting", "goes without a cursor; leave one of them out")
        if owner.number != caller.number:
            within, direction = call.within(session), MailDirection.RECEIVED
            foreign.admit(within, owner, direction)
            foreign.record(within, owner, direction, NOT_KNOWN, ReadEvent.WATCH_OPENED)
        box = owner.mailbox
        begin = box.claimed_through if request.include_waiting else box.received
        return owner, begin if before is None else before

    return await foreign.read(call.office, opened, None)


async def _next(call: StreamCall, owner: Agent, number: int) -> Sequence[Piece]:
    now = call.office.clock.now()

    def arrived(session: Session) -> Sequence[Piece]:
        is_own = owner.number == call.caller.number
        look = session.arrivals if is_own else session.arrivals_for_others
        return look(owner.number, after=number, limit=_AT_ONCE, now=now)

    return await call.office.store.perform(arrived, writes=False, until=None)


def _scope(call: StreamCall, owner: Agent) -> tuple[str, str, str]:
    return call.caller.id, "watch", owner.id
