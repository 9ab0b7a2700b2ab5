"""Foreign reads: looks into somebody else's mailbox."""

from collections.abc import Awaitable
from typing import TypeVar

from postroom.agent import Agent
from postroom.errors import Forbidden, StoreRefusal
from postroom.mail import MailDirection
from postroom.office import Call
from postroom.ports import Session, Store, Work, WriteNeeded
from postroom.records import MailboxRead

T = TypeVar("T")


def record_read(call: Call, owner: Agent, direction: MailDirection) -> None:
    """Write down that the caller looks, before anything is shown.

    Raises Forbidden for the operator's mailbox, which no agent may read, and where the
    person has closed mailboxes to other agents.
    """
    if owner.is_operator:
        raise Forbidden("the operator's mail is not for agents to read", "OPERATOR_MAILBOX")
    if not call.office.foreign_reads and not call.caller.is_operator:
        told = "this server lets agents look into their own mailbox only; leave id out"
        raise Forbidden(told, "FOREIGN_READS_OFF")
    call.session.record_read(
        MailboxRead(
            id=call.new_id("read_"),
            reader=call.caller.number,
            reader_id=call.caller.id,
            owner=owner.number,
            owner_id=owner.id,
            read_at=call.now,
            method=call.method,
            direction=direction,
        )
    )


async def read(store: Store, work: Work[T], until: float | None) -> T:
    """Perform a read; only the record of a foreign one can make it write.

    Where that record cannot be written nothing is shown. Raises StoreRefusal
    (AUDIT_UNAVAILABLE) then, with the code of what is wrong with the store.
    """
    is_recorded = False

    def watched(session: Session) -> T:
        nonlocal is_recorded
        try:
            return work(session)
        except WriteNeeded:
            is_recorded = True
            raise

    answer: Awaitable[T] = store.perform(watched, writes=False, until=until)
    try:
        return await answer
    except StoreRefusal as failed:
        if not is_recorded:
            raise
        raise StoreRefusal(
            f"your look could not be written down, so nothing is shown: {failed.message}",
            failed.code,
            "AUDIT_UNAVAILABLE",
            retry_after=failed.retry_after,
        ) from failed
