"""The record of foreign reads in the database, and its chain."""

from collections.abc import Iterator, Sequence

from postroom.chain import GENESIS, ChainBroken, Walk, link
from postroom.mail import MailDirection
from postroom.records import MailboxRead, Proof, ReadEvent, Shown
from postroom.storage import statements
from postroom.storage.database import Connection, Row
from postroom.storage.models import MailboxReadRow
from postroom.storage.transaction import Transaction

_AT_ONCE = 500
# Above every number that a list can reach; both databases take it as 64 bits.
_NO_BOUND = 2**62


class ReadQueries(Transaction):
    """The part of a session that deals with foreign reads."""

    def reads(self, owner: int, *, before: int | None, limit: int) -> Sequence[MailboxRead]:
        """See ports.Session.reads."""
        bound = _NO_BOUND if before is None else before
        rows = self.connection.all(statements.READS_OF, (owner, bound, limit))
        return [_read_of(row) for row in rows]

    def record_read(self, read: MailboxRead) -> None:
        """See ports.Session.record_read; a session that only reads ends here."""
        del read
        self.writing()


def append(connection: Connection, reads: Sequence[MailboxRead]) -> None:
    """Add records to the chain.

    It is locked from here to the commit, so this comes last in a transaction: nothing is
    waited for while others wait for the chain.
    """
    (head,) = connection.all(statements.TAKE_CHAIN, (len(reads),))[0]
    rows = []
    for read in reads:
        head = link(head, read)
        rows.append({**_columns(read), "hash": head})
    connection.query(MailboxReadRow.insert_many(rows))
    connection.run(statements.SET_CHAIN, (head,))


def link_all(connection: Connection) -> None:
    """Make the chain of records that have none: those of a schema before it."""
    head, reads = GENESIS, 0
    for page in _pages(connection):
        hashes = []
        for row in page:
            head = link(head, _read_of(row))
            hashes.append((head, row[0]))
        connection.store(statements.LINK_READS, hashes)
        reads += len(page)
    connection.run(statements.TAKE_CHAIN, (reads,))
    connection.run(statements.SET_CHAIN, (head,))


def follow(connection: Connection, walk: Walk) -> None:
    """Walk along the whole chain, within a transaction. Raises ChainBroken."""
    for page in _pages(connection):
        for row in page:
            try:
                walk.step(_read_of(row), row[-1])
            except (TypeError, ValueError):
                told = f"record {row[0]} ({row[1]}) holds what no server writes"
                raise ChainBroken(told) from None
    ends = connection.all(statements.CHAIN)
    if len(ends) != 1:
        raise ChainBroken("the note of the chain's end is missing, or there are several")
    walk.end(*ends[0])


def _pages(connection: Connection) -> Iterator[list[Row]]:
    """All records in the order of their numbers."""
    after = -_NO_BOUND
    while page := connection.all(statements.READS_AFTER, (after, _AT_ONCE)):
        yield page
        after = page[-1][0]


def _columns(read: MailboxRead) -> dict[str, object]:
    return {
        "id": read.id,
        "reader": read.reader,
        "owner": read.owner,
        "read_at": read.read_at,
        "method": read.method,
        "direction": read.direction or 0,
        "event": read.event,
        "reason": read.reason,
        "attempts": read.attempts,
        "proof": read.proof,
        "key_id": read.key_id,
        "surface": read.surface,
        "peer": read.peer,
        "request_id": read.request_id,
        "mails": read.shown.mails,
        "first_mail_id": read.shown.first_mail_id,
        "last_mail_id": read.shown.last_mail_id,
    }


def _read_of(row: Row) -> MailboxRead:
    return MailboxRead(
        number=row[0],
        id=row[1],
        reader=row[2],
        reader_id=row[3],
        owner=row[4],
        owner_id=row[5],
        read_at=row[6],
        method=row[7],
        direction=MailDirection(row[8]) if row[8] else None,
        event=ReadEvent(row[9]),
        reason=row[10],
        attempts=row[11],
        proof=Proof(row[12]),
        key_id=row[13],
        surface=row[14],
        peer=row[15],
        request_id=row[16],
        shown=Shown(*row[17:20]),
    )
