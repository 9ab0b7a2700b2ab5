"""What can be wrong with an archive: each kind has a name that programs match on."""

from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """The kinds of fault, each with what it means."""

    # The database has messages of the project, and there is no repository.
    MISSING_ARCHIVE = "missing-archive"
    # A message of the database has no file under messages/.
    MISSING_CANONICAL = "missing-canonical"
    # The sender's copy or a recipient's is not there.
    MISSING_COPY = "missing-copy"
    # A file that no message, mail, agent or attachment accounts for, or that is no plain file.
    EXTRA_FILE = "extra-file"
    CHANGED_BODY = "changed-body"
    CHANGED_FRONT_MATTER = "changed-front-matter"
    # A file names a hidden recipient to somebody who must not know.
    BCC_LEAKED = "bcc-leaked"
    ATTACHMENT_MISSING = "attachment-missing"
    # Its content is not what its name, the SHA-256, says.
    ATTACHMENT_CHANGED = "attachment-changed"
    # Its content is no image of its kind.
    ATTACHMENT_BROKEN = "attachment-broken"
    # The database has lost its content.
    ATTACHMENT_NOT_STORED = "attachment-not-stored"
    # A message answers one that is not there.
    DANGLING_REPLY = "dangling-reply"
    # A message is not in the thread of the one that it answers.
    DANGLING_THREAD = "dangling-thread"
    # The archive has a message, mail or agent that the database does not have.
    MISSING_ROW = "missing-row"
    # The newest commit that was written is no longer in the history.
    HISTORY_CUT = "history-cut"
    # Git cannot read an object, or it is not what its id says.
    DAMAGED_OBJECT = "damaged-object"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault, and the file or the id that it is about."""

    fault: Fault
    about: str

    def __str__(self) -> str:
        """One line for a person."""
        return f"{self.fault}: {self.about}"
