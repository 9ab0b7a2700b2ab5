"""What a commit of the archive says: nothing of what the messages say."""

import re
from dataclasses import dataclass

from postroom.archive.packfile import ObjectId
from postroom.instant import SECOND

_TRAILER = "Postroom-Outbox"
_AUTHOR = re.compile(r"([^<>\x00-\x1f\x7f]*[^<>\x00-\x20\x7f]) <([^<>\x00-\x20\x7f]+)>")
_LAST = re.compile(rf"^{_TRAILER}: ([0-9]+)$", re.MULTILINE)


class BadAuthor(Exception):
    """Not a name and an address as Git writes them."""


@dataclass(frozen=True, slots=True)
class Author:
    """In whose name the archive is written: `Name <address>`. Raises BadAuthor."""

    text: str

    def __post_init__(self) -> None:
        if not _AUTHOR.fullmatch(self.text):
            raise BadAuthor(f"{self.text!r} is no author; give one as 'Name <address>'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a batch holds: how many pieces, the last outbox number, the newest instant."""

    messages: int
    mails: int = 0
    last: int
    newest: int

    def text(self) -> str:
        """The commit's message."""
        counted = ((self.messages, "message"), (self.mails, "mail"))
        pieces = [f"{n} {word}{'' if n == 1 else 's'}" for n, word in counted if n]
        return f"Archive {' and '.join(pieces)}\n\n{_TRAILER}: {self.last}\n"


def commit_object(
    tree: ObjectId, parent: ObjectId | None, after: int, author: Author, note: Note
) -> bytes:
    """The commit. Its time is that of its newest piece, and not before `after`, in seconds.

    So the same batch on the same parent always makes the same commit.
    """
    when = f"{author.text} {max(note.newest // SECOND, after, 0)} +0000"
    parents = [f"parent {parent.hex()}"] if parent else []
    lines = [f"tree {tree.hex()}", *parents, f"author {when}", f"committer {when}"]
    return "\n".join((*lines, "", note.text())).encode()


def last_taken(message: str) -> int | None:
    """The last outbox number that a commit's message notes."""
    found = _LAST.search(message)
    return int(found[1]) if found else None
