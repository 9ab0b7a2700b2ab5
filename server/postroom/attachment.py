"""Attachment: an image that came with a message, and how it is kept."""

from dataclasses import dataclass
from enum import StrEnum

MEDIA_TYPE = "image/webp"
MOST_ATTACHMENTS = 20
LARGEST_BYTES = 8 * 1024 * 1024
LARGEST_TOTAL_BYTES = 20 * 1024 * 1024
LARGEST_INLINE_BYTES = 32 * 1024
LARGEST_RANGE_BYTES = 2 * 1024 * 1024


class Mode(StrEnum):
    """How an attachment is carried."""

    # In the body, as a data URI; the file is stored too.
    INLINE = "inline"
    # As attachments/<sha256>.webp beside the message.
    FILE = "file"
    # Stored in the form in which it came.
    KEPT = "kept"
    # Not usable; the body is as it was written.
    FAILED = "failed"


class AttachmentsPolicy(StrEnum):
    """How an agent wants the images that it sends to be carried."""

    AUTO = "auto"
    INLINE = "inline"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """What a message says of one attachment. `path` is relative to the project's files."""

    name: str
    mode: Mode
    media_type: str = ""
    path: str = ""
    sha256: str = ""
    bytes: int = 0
    width: int = 0
    height: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """The content of an attachment, once in each project."""

    sha256: str
    media_type: str
    width: int
    height: int
    data: bytes


def path_of(sha256: str, media_type: str = MEDIA_TYPE) -> str:
    """Where an attachment is found among a project's files."""
    return f"attachments/{sha256}.{media_type.removeprefix('image/')}"
