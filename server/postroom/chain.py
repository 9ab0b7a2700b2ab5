"""The chain of foreign reads: each record carries a hash of itself and of the one before.

So whoever changes, cuts, inserts or moves a record has to write all later hashes anew,
and with them the head, which whoever has noted it knows.
"""

import hashlib
import json

from postroom.records import MailboxRead

GENESIS = "0" * 64
# Hashed with each record: another form of the content would get another name.
_FORM = "postroom.mailbox_read.1"


class ChainBroken(Exception):
    """The record is not what was written; the text names the first record that shows it."""


def link(previous: str, read: MailboxRead) -> str:
    """The hash of a record that follows the one with the hash `previous`, in hexadecimal."""
    content = [
        _FORM,
        previous,
        read.id,
        read.reader_id,
        read.owner_id,
        read.read_at,
        read.method,
        read.direction,
        read.event,
        read.reason,
        read.attempts,
        read.proof,
        read.key_id,
        read.surface,
        read.peer,
        read.request_id,
        *read.shown,
    ]
    text = json.dumps(content, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class Walk:
    """Follows a chain from its first record to its end."""

    def __init__(self, noted: str = "") -> None:
        """Begin; `noted` is an earlier head that has to be met on the way, '' for none."""
        self.head = GENESIS
        self.reads = 0
        self._noted = noted
        self._is_met = noted in ("", GENESIS)

    def step(self, read: MailboxRead, hash: str) -> None:
        """Go on to the next record. Raises ChainBroken when it does not follow."""
        if not hash:
            raise ChainBroken(
                f"{_name(read)} is not in the chain: somebody inserted it, or a server of an "
                "older version wrote it"
            )
        if hash != link(self.head, read):
            raise ChainBroken(
                f"{_name(read)} does not follow the record before it: one of them was changed, or "
                "records were cut, inserted or moved there"
            )
        self.head = hash
        self.reads += 1
        self._is_met = self._is_met or hash == self._noted

    def end(self, reads: int, head: str) -> None:
        """Compare with what the database says. Raises ChainBroken when the end is missing."""
        if (self.reads, self.head) != (reads, head):
            raise ChainBroken(
                f"the records end after {self.reads} and should be {reads}: the last ones were cut "
                "off"
            )
        if not self._is_met:
            raise ChainBroken(
                f"no record has the hash {self._noted}: records were cut off, or the chain was "
                "written anew since that head was noted"
            )


def _name(read: MailboxRead) -> str:
    return f"record {read.number} ({read.id})"
