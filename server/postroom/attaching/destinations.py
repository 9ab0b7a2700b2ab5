"""What the destination of an image, or an attachment path, names."""

import base64
import binascii
import re
from enum import Enum, auto

from postroom.attaching.failures import Failure, Unusable
from postroom.attachment import LARGEST_BYTES

# One letter and a colon is a drive: a path, and refused as one.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DATA = re.compile(r"data:image/[a-z0-9.+-]+;base64,", re.IGNORECASE)
_STORED = re.compile(r"attachments/([0-9a-f]{64})\.(?:webp|png|jpeg|gif)")
_LONGEST_DATA = (LARGEST_BYTES + 2) // 3 * 4


class Kind(Enum):
    """Where an image is to be taken from."""

    DATA = auto()
    STORED = auto()
    PATH = auto()
    # Left to whoever shows the text; never fetched.
    ELSEWHERE = auto()


def kind_of(destination: str) -> Kind:
    """What the text names, by its form alone."""
    if destination[:5].lower() == "data:":
        return Kind.DATA
    if destination.startswith(("//", "#")) or not destination or _SCHEME.match(destination):
        return Kind.ELSEWHERE
    return Kind.STORED if _STORED.fullmatch(destination) else Kind.PATH


def stored_sha256(path: str) -> str:
    """The SHA-256 that the path of a stored attachment names."""
    found = _STORED.fullmatch(path)
    assert found is not None
    return found[1]


def decoded(uri: str) -> bytes:
    """What a data URI holds. Raises Unusable unless it is an image's, in strict base64."""
    head = _DATA.match(uri)
    if head is None:
        raise Unusable(Failure.NOT_BASE64)
    if len(uri) - head.end() > _LONGEST_DATA:
        raise Unusable(Failure.TOO_MANY_BYTES)
    try:
        return base64.b64decode(uri[head.end() :], validate=True)
    except (binascii.Error, ValueError):
        raise Unusable(Failure.NOT_BASE64) from None


def data_uri(media_type: str, data: bytes) -> str:
    """The image, written out; it needs no escapes anywhere in Markdown."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"
