"""Foreign reads: looks into somebody else's mailbox, and attempts at them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeVar

from postroom.agent import Agent
from postroom.errors import Forbidden, StoreRefusal
from postroom.mail import MailDirection
from postroom.office import Call, Office, Origin, StreamCall
from postroom.ports import Session, Work, WriteNeeded
from postroom.records import NOTHING, MailboxRead, ReadEvent, Shown

log = logging.getLogger(__name__)

_PREFIX = "read_"

T = TypeVar("T")


class Denied(Forbidden):
    """A look that is refused. `read` is the record to make of the attempt."""

    def __init__(self, message: str, reason: str, read: MailboxRead) -> None:
        super().__init__(message, reason)
        self.read = read


def admit(call: Call, owner: Agent, direction: MailDirection) -> None:
    """Let the caller look into somebody else's mailbox, which has to be recorded then.

    Raises Denied for the operator's mailbox, which no agent may read, and where the
    person has closed mailboxes to other agents.
    """
    if owner.is_operator:
        told = "the operator's mail is not for agents to read"
        raise denied(call, owner, told, "OPERATOR_MAILBOX", direction)
    if not call.office.foreign_reads and not call.caller.is_operator:
        told = "this server lets agents look into their own mailbox only; leave id out"
        raise denied(call, owner, told, "FOREIGN_READS_OFF", direction)
    # The record is written after the mail was found; a read finds none to no purpose.
    call.session.lock()


def record(
    call: Call,
    owner: Agent,
    direction: MailDirection,
    shown: Shown,
    event: ReadEvent = ReadEvent.LOOKED,
) -> None:
    """Write down what the caller sees, before it is shown."""
    read = _record(call, owner)
    call.session.record_read(replace(read, direction=direction, event=event, shown=shown))


def denied(
    call: Call, owner: Agent, message: str, reason: str, direction: MailDirection | None = None
) -> Denied:
    """The refusal of a look, for `read` to write down."""
    read = replace(
        _record(call, owner), direction=direction, event=ReadEvent.REFUSED, reason=reason
    )
    return Denied(message, reason, replace(read, shown=NOTHING))


async def read(office: Office, work: Work[T], until: float | None) -> T:
    """Perform a read; only the record of a foreign one can make it write.

    Where that record cannot be written nothing is shown. Raises StoreRefusal
    (AUDIT_UNAVAILABLE) then, with the code of what is wrong with the store. A refused
    attempt is written down as well.
    """
    is_recorded = False

    def watched(session: Session) -> T:
        nonlocal is_recorded
        try:
            return work(session)
        except WriteNeeded:
            is_recorded = True
            raise

    answer: Awaitable[T] = office.store.perform(watched, writes=False, until=until)
    try:
        return await answer
    except Denied as refused:
        await _note(office, refused.read)
        raise
    except StoreRefusal as failed:
        if not is_recorded:
            raise
        raise StoreRefusal(
            f"your look could not be written down, so nothing is shown: {failed.message}",
            failed.code,
            "AUDIT_UNAVAILABLE",
            retry_after=failed.retry_after,
        ) from failed


async def note_mismatch(
    office: Office, origin: Origin, proven: Agent, named_id: str, method: str
) -> None:
    """Write down that a caller named another agent than the one it proved to be."""
    # What cannot be printed is no id, and not every database can be asked for it.
    if not named_id.isprintable():
        return

    def attempt(session: Session) -> MailboxRead | None:
        owner = session.agent(named_id)
        if owner is None:
            return None
        call = Call(office, session, proven, method, office.clock.now(), origin)
        return denied(call, owner, "", "IDENTITY_MISMATCH").read

    if made := await office.store.perform(attempt, writes=False, until=None):
        await _note(office, made)


class Given:
    """What a watcher was given so far."""

    def __init__(self) -> None:
        self.shown = NOTHING

    def add(self, mail_id: str) -> None:
        """Count a piece that is about to be given."""
        mails, first, _ = self.shown
        self.shown = Shown((mails or 0) + 1, first or mail_id, mail_id)


@asynccontextmanager
async def watching(call: StreamCall, owner: Agent) -> AsyncIterator[Given]:
    """Write down, when a watch of somebody else's mailbox ends in whatever way, what was given."""
    given = Given()
    try:
        yield given
    finally:
        if owner.number != call.caller.number:
            await _close(call, owner, given)


async def _close(call: StreamCall, owner: Agent, given: Given) -> None:
    def close(session: Session) -> None:
        event = ReadEvent.WATCH_CLOSED
        record(call.within(session), owner, MailDirection.RECEIVED, given.shown, event)

    closing = call.office.store.perform(close, writes=True, until=None)
    closing.add_done_callback(_told)
    # Not awaited itself: a watch that is cancelled again must not take the record with it.
    await asyncio.wait((closing,))


def _told(closing: "asyncio.Future[None]") -> None:
    if not closing.cancelled() and (error := closing.exception()):
        log.warning("the end of a watch could not be written down: %s", error)


async def _note(office: Office, read: MailboxRead) -> None:
    """Write down a refused attempt, if it is due. It stays refused when that cannot be done."""
    due = office.denials.count(read)
    if not due:
        return
    noted = replace(read, attempts=due)
    try:
        await office.store.perform(
            lambda session: session.record_read(noted), writes=True, until=None
        )
    except StoreRefusal as failed:
        log.warning("a refused look could not be written down: %s", failed)


def _record(call: Call, owner: Agent) -> MailboxRead:
    origin = call.origin
    return MailboxRead(
        id=call.new_id(_PREFIX),
        reader=call.caller.number,
        reader_id=call.caller.id,
        owner=owner.number,
        owner_id=owner.id,
        read_at=call.now,
        method=call.method,
        direction=None,
        proof=origin.proof,
        key_id=origin.key_id,
        surface=origin.surface,
        peer=origin.peer,
        request_id=origin.request_id,
    )
