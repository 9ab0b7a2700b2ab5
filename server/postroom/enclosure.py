"""Enclosure: the images that are to go with a message, before and after they are converted."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from postroom.attachment import Attachment, AttachmentsPolicy, StoredFile
from postroom.errors import Refusal

# The content of an attachment stored before, by SHA-256, if the caller may see it.
Stored = Callable[[str], Awaitable[StoredFile | None]]
_IMAGE = "!["


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the caller sent, and how the images are to be carried.

    `given` is filenames with bytes. `files` is the folder that relative paths start
    from, None for a caller whose paths are not read. `stored` finds an attachment by
    its SHA-256, if the caller may see it.
    """

    body_md: str
    given: Sequence[tuple[str, bytes]] = ()
    paths: Sequence[str] = ()
    converts: bool
    policy: AttachmentsPolicy
    files: Path | None
    stored: Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosed:
    """What comes with a message: the body with its images, and the files to store, each once.

    `again` is the SHA-256 of each file that was stored before and is only named. `refusal`
    is why nothing can be enclosed; it is raised in its turn.
    """

    body_md: str
    attachments: tuple[Attachment, ...] = ()
    files: tuple[StoredFile, ...] = ()
    again: frozenset[str] = frozenset()
    refusal: Refusal | None = None

    @property
    def new_bytes(self) -> int:
        """How much the sender adds to what it has sent today; what it sends again is free."""
        sizes = {one.sha256: one.bytes for one in self.attachments}
        return sum(size for sha256, size in sizes.items() if sha256 not in self.again)


class Attaching(Protocol):
    """Prepares the images of messages."""

    async def prepare(self, wanted: Wanted) -> Enclosed:
        """Check, convert and place all images. Raises a refusal that names the field."""
        ...


def needs_work(body_md: str, given: Sequence[object], paths: Sequence[str]) -> bool:
    """Whether a message may have images; if not, its body is stored as it is."""
    return bool(given or paths or _IMAGE in body_md)
